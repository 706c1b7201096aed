import { knowledgeSchema, type Knowledge } from "../shared/contract/harness-bundle.ts";
import { readFrontMatter } from "./front-matter.ts";
import { errorAt, schemaProblems, type Problem, type Reading, type SourceFile } from "./problem.ts";
import { readJson } from "./read-json.ts";

/**
 * Reads `knowledge/*.jsonl` (one entry a line, blank lines allowed) and `knowledge/*.md` (one entry a file: front matter
 * with `keywords`, `source` and an `id` that defaults to the file's name, then the text).
 */
export function readKnowledge(files: readonly SourceFile[]): Reading<Knowledge[]> {
  const readings = files.map((file) => {
    if (file.path.endsWith(".jsonl")) return readLines(file);
    if (file.path.endsWith(".md")) return readPage(file);
    return {
      value: [],
      problems: [errorAt("stray-file", { file: file.path }, "Not a knowledge file", "Use .jsonl or .md")],
    };
  });
  return {
    value: readings.flatMap((reading) => reading.value),
    problems: readings.flatMap((reading) => reading.problems),
  };
}

function readLines({ path, text }: SourceFile): Reading<Knowledge[]> {
  const value: Knowledge[] = [];
  const problems: Problem[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const lineOf = () => index + 1;
    const json = readJson({ path, text: line });
    problems.push(...json.problems.map((problem) => ({ ...problem, line: index + 1 })));
    if (json.value === undefined) continue;
    const entry = knowledgeSchema.safeParse(json.value);
    if (entry.success) value.push(entry.data);
    else problems.push(...schemaProblems(path, entry.error, lineOf));
  }
  return { value, problems };
}

function readPage(file: SourceFile): Reading<Knowledge[]> {
  const { fields, body, lineOf, problems } = readFrontMatter(file);
  if (fields === null || typeof fields !== "object") return { value: [], problems };
  const id = file.path.slice(file.path.lastIndexOf("/") + 1, -".md".length);
  const entry = knowledgeSchema.safeParse({ id, ...fields, text: body });
  if (entry.success) return { value: [entry.data], problems };
  return { value: [], problems: [...problems, ...schemaProblems(file.path, entry.error, lineOf)] };
}
