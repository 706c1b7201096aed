/** Cuts a sentence into clauses and tells of which products each speaks. */
import { toCommonCharacters } from "../checks/fold-text.ts";
import { parseChineseNumber } from "../checks/chinese-number.ts";

/** A product by its id; `null` for every product of no interest. */
type Subject = string | null;

export type NamedProduct = { readonly id: Subject; readonly link: number; readonly names: readonly string[] };

export type Clause = {
  /** Without product names: their numbers (四件套) claim nothing. */
  readonly text: string;
  /**
   * What was cut out before it, and the name that follows without a pause; empty: no name. A name may be a specification,
   * too: of a lamp in 台灯 and 落地灯, which viewers call 落地灯 altogether.
   */
  readonly nameBefore: string;
  readonly nameAfter: string;
  /** Products that it may speak of; `null`: none is named in the sentence, so it may be any. */
  readonly subjects: ReadonlySet<Subject> | null;
  /** It begins with a product that is named after a claim and a pause: a specification from before is no longer meant. */
  readonly isAnew: boolean;
};

/** 四十块九毛七, which the reader of numbers knows as 四十块97; but 九毛三条 is a price and three pieces. */
const SPOKEN_CENTS =
  /([块元])?([\d一二两三四五六七八九])[毛角]([\d一二三四五六七八九])分?(?![\d十百千万件个条瓶双盒套斤张款包支只把床袋块元折天年])/gu;

/** 四十来块 is about 40, not up to 50. */
const ABOUT_TENS = /(?<=[二三四五六七八九]十)来(块钱?|元)/gu;

function toDecimals(_: string, yuan: string | undefined, tenths: string, hundredths: string): string {
  return `${yuan ?? "0块"}${numberOf(tenths)}${numberOf(hundredths)}`;
}

/** One spelling: half width, simplified, lower case, no spaces but between digits. */
export function toPlainSentence(text: string): string {
  return toCommonCharacters(text.replaceAll("，", "；").normalize("NFKC"))
    .replaceAll(/[\p{Cf}\p{M}]/gu, "")
    .replaceAll(/(?<!\d)\s+|\s+(?!\d)/gu, "")
    .replaceAll(SPOKEN_CENTS, toDecimals)
    .replaceAll(ABOUT_TENS, "$1左右")
    .toLowerCase();
}

const CLAUSE_END = /[;。!?~…\n]|,(?!\d{3}(?!\d))/u;

/**
 * Clauses in order. One speaks of the products that were named last before it, all of them when nothing was claimed in
 * between (面巾和毛毯都是39元), and of one whose name follows without a pause (39元的毛毯).
 *
 * @param hasClaim - Whether a text claims anything; what is named after a claim is a new subject.
 */
export function splitByProduct(
  sentence: string,
  products: readonly NamedProduct[],
  hasClaim: (text: string) => boolean,
): Clause[] {
  const text = toPlainSentence(sentence);
  const mentions = findMentions(text, products);
  const all = mentions.length === 0 ? null : new Set(mentions.flatMap(({ ids }) => ids));
  const clauses: Clause[] = [];
  let subjects: ReadonlySet<Subject> | null = all;
  let isOpen = false;
  let [from, nameBefore, isAnew] = [0, "", false];
  for (const mention of [...mentions, { start: text.length, end: text.length, ids: [], name: "" }]) {
    const parts = text.slice(from, mention.start).split(CLAUSE_END);
    for (const [index, part] of parts.entries()) {
      const isBeforeName = index === parts.length - 1 && subjects !== null && !part.endsWith("、");
      clauses.push({
        text: part,
        nameBefore,
        nameAfter: isBeforeName ? mention.name : "",
        subjects: isBeforeName ? union(subjects, mention.ids) : subjects,
        isAnew,
      });
      if (part !== "") [nameBefore, isAnew] = ["", false];
    }
    const isClaimed = parts.some(hasClaim);
    subjects = isOpen && !isClaimed ? union(subjects, mention.ids) : new Set(mention.ids);
    isOpen = true;
    [from, nameBefore, isAnew] = [mention.end, nameBefore + mention.name, isAnew || parts.slice(0, -1).some(hasClaim)];
  }
  return clauses.filter((clause) => clause.text !== "");
}

function union(subjects: ReadonlySet<Subject> | null, ids: readonly Subject[]): ReadonlySet<Subject> {
  return new Set([...(subjects ?? []), ...ids]);
}

type Mention = {
  readonly start: number;
  readonly end: number;
  readonly ids: readonly Subject[];
  /** As it stands in the sentence; empty for a link number. */
  readonly name: string;
};

const NAME_CHARS_MIN = 2;
const LINK = /(?:链接|#)(\d{1,3})|(\d{1,3}|[一二三四五六七八九十]{1,3})号(?:链接)?(?![码色线])/gu;

/** Names, the longest first so that they hide shorter ones inside them, and link numbers that the room has. */
function findMentions(text: string, products: readonly NamedProduct[]): Mention[] {
  const found: Mention[] = [];
  let rest = text;
  const add = (start: number, { length }: string, of: Pick<Mention, "ids" | "name">) => {
    found.push({ start, end: start + length, ...of });
    rest = rest.slice(0, start) + "\u0000".repeat(length) + rest.slice(start + length);
  };
  for (const [name, ids] of namesOf(products)) {
    for (let at = rest.indexOf(name); at !== -1; at = rest.indexOf(name)) add(at, name, { ids, name });
  }
  for (const match of rest.matchAll(LINK)) {
    const link = numberOf(match[1] ?? match[2] ?? "");
    const ids = products.filter((product) => product.link === link).map(({ id }) => id);
    if (ids.length > 0) add(match.index, match[0], { ids, name: "" });
  }
  return found.toSorted((a, b) => a.start - b.start);
}

function numberOf(written: string): number | null {
  return /^\d/.test(written) ? Number(written) : parseChineseNumber(written);
}

const namesOfLists = new WeakMap<readonly NamedProduct[], readonly (readonly [string, readonly Subject[]])[]>();

function namesOf(products: readonly NamedProduct[]): readonly (readonly [string, readonly Subject[]])[] {
  const known = namesOfLists.get(products);
  if (known !== undefined) return known;
  const ids = new Map<string, Subject[]>();
  for (const { id, names } of products) {
    for (const name of names.map(toPlainSentence)) {
      if (name.length >= NAME_CHARS_MIN) ids.set(name, [...(ids.get(name) ?? []), id]);
    }
  }
  const sorted = [...ids].toSorted(([a], [b]) => b.length - a.length);
  namesOfLists.set(products, sorted);
  return sorted;
}
