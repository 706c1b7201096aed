import { charPairs, normaliseForMatch } from "../../core/text.ts";
import { found, textOf, type Builtin } from "./tool-world.ts";

const RESULTS_MAX = 3;

/** Share of the query's character pairs that an entry must have. */
const SCORE_MIN = 0.25;

/** The FAQ entries closest to a query, by shared character pairs: Chinese has no spaces to cut words at. */
export const searchFaq: Builtin = (args, world) => {
  const query = normaliseForMatch(textOf(args, "query"));
  const pairs = query.length < 2 ? [query] : charPairs(query);
  const entries = world.config.faq
    .map((entry) => {
      const text = normaliseForMatch([entry.question, ...entry.similar, entry.answer].join(""));
      const shared = pairs.filter((pair) => text.includes(pair)).length;
      return { entry, score: query === "" ? 0 : shared / pairs.length };
    })
    .filter(({ score }) => score >= SCORE_MIN)
    .toSorted((a, b) => b.score - a.score);
  return found({
    entries: entries.slice(0, RESULTS_MAX).map(({ entry: { question, answer } }) => ({ question, answer })),
  });
};
