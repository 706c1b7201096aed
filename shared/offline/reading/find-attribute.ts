/** Finds what a product's own facts say to a question: attributes by name, then its prose by topic. Quotes, never infers. */
import { normaliseForMatch } from "../../core/text.ts";
import { ATTRIBUTE_GROUPS, PROSE_TOPICS, type AttributeGroup } from "./attribute-groups.ts";
import { coreOf, findSkus } from "./find-skus.ts";
import type { KnownProduct } from "./read-request.ts";
import { isInjection } from "./spot-injection.ts";
import { splitSentences, toPlain } from "./text-overlap.ts";

export type AttributeAnswer = {
  /** What was asked, as people say it. */
  readonly label: string;
  /** "材质是100%棉"; null when the facts do not say. */
  readonly text: string | null;
};

/** The question as the viewer wrote it, and the specifications that it names. */
type Asked = { readonly whole: string; readonly named: readonly string[] };

/** Attributes of one group that an answer names. */
const ATTRIBUTES_MAX = 4;

/** Characters of one value; longer values are cut to the lines that fit the question, then to whole sentences. */
const VALUE_CHARS_MAX = 150;

/** Groups that a question asks about, without those that a narrower one hides. */
export function askedGroups(question: string): AttributeGroup[] {
  const asked = ATTRIBUTE_GROUPS.filter((group) => group.asked.test(question));
  const hidden = new Set(asked.flatMap((group) => group.hides ?? []));
  return asked.filter((group) => !hidden.has(group.key));
}

/** Answers to all that the question asks of the product's properties; empty when it asks of none. */
export function findAttributes(product: KnownProduct, question: string, whole: string): AttributeAnswer[] {
  const asked = { whole, named: findSkus(product, whole).named };
  const prose = findProse(product, question);
  const literal = literalNames(product, question).map((name) => ({
    label: name,
    text: quote([[name, product.attributes?.[name] ?? ""]], asked),
  }));
  const groups =
    literal.length > 0 ? literal : askedGroups(question).map((group) => answerGroup(product, group, asked));
  const named = groups.filter((answer) => answer.text !== null);
  const quoted = prose.filter(({ text }) => text !== null && !named.some((answer) => repeats(answer.text, text)));
  const found = [...quoted, ...named];
  return found.length > 0 ? found : [...groups, ...prose].slice(0, 1);
}

/** What the product's prose says on care, use and time; `text` is null for a topic that was asked of and is not there. */
export function findProse(product: KnownProduct, question: string): AttributeAnswer[] {
  return PROSE_TOPICS.filter((topic) => topic.asked.test(question)).map((topic) => ({
    label: topic.label,
    text: quoteProse(product, question, topic.said),
  }));
}

function answerGroup(product: KnownProduct, group: AttributeGroup, asked: Asked): AttributeAnswer {
  return {
    label: group.label,
    text: quote(attributesOf(product, group), asked) ?? labelledPart(product, group),
  };
}

/** A quote whose words the named attribute has said. */
function repeats(said: string | null, quote: string): boolean {
  return said?.includes(quote.replace(/^.*：/u, "")) ?? false;
}

/** Attribute names that stand in the question as they are, the longest of nested ones. */
function literalNames(product: KnownProduct, question: string): string[] {
  const names = Object.keys(product.attributes ?? {}).filter((name) => {
    const plain = toPlain(name);
    return plain.length >= 2 && question.includes(plain) && !/^(备注|规格|尺寸|材质|材料|面料|颜色)$/u.test(plain);
  });
  return names.filter((name) => !names.some((other) => other !== name && other.includes(name)));
}

function attributesOf(product: KnownProduct, group: AttributeGroup): [string, string][] {
  const listed = [...Object.entries(product.attributes ?? {}), ...onlySpecification(product)];
  const entries = listed.filter(([name]) => group.names.test(name));
  if (group.key === "weight") {
    const sized = listed.filter(([name, value]) => name === "规格" && /\d\s*(克|g|kg|斤)/iu.test(value));
    return preferred([...entries, ...sized], ([name]) => !/填充/u.test(name));
  }
  if (group.key === "material") {
    return preferred(
      entries.filter(([name]) => !/尺寸|规格|重|含量$/u.test(name)),
      ([name]) => !/填充/u.test(name),
    );
  }
  if (group.key === "cover") return entries.filter(([name]) => !/尺寸|规格|重/u.test(name));
  return entries;
}

/** A product with one SKU says in its specification what others say in attributes: "200克/4枚". */
function onlySpecification(product: KnownProduct): [string, string][] {
  const [sku, another] = product.skus ?? [];
  if (sku === undefined || another !== undefined) return [];
  const own = Object.entries(sku.specs).filter(([, value]) => value !== "标准");
  return own.filter(([name]) => product.attributes?.[name] === undefined);
}

function preferred<T>(items: readonly T[], test: (item: T) => boolean): T[] {
  const kept = items.filter(test);
  return kept.length > 0 ? kept : [...items];
}

/**
 * Where no property was recognised: the attribute or sentence that holds a word of the question, as it is written.
 * "是桑蚕丝吗" is answered by quoting 材质, whether it says so or not is left to the words.
 */
export function findMention(product: KnownProduct, words: readonly string[], withBrief: boolean): string | null {
  const lines = Object.entries(product.attributes ?? {}).flatMap(([name, value]) =>
    linesOf(value).map((line) => ({ line, text: isShort(value) ? `${name}是${line}` : line, name })),
  );
  const prose = (withBrief ? (product.brief ?? "") : "")
    .split(/[，,；;]/u)
    .map((line) => ({ line, text: line, name: "" }));
  for (const word of words) {
    const found = [...lines, ...prose].filter(
      ({ line, name }) => normaliseForMatch(`${name}${line}`).includes(word) && !isInjection(`${name}：${line}`),
    );
    if (found.length > 0) return [...new Set(found.slice(0, 2).map(({ text }) => text))].join("；");
  }
  return null;
}

function isShort(value: string): boolean {
  return value.length <= 40;
}

function linesOf(value: string): string[] {
  return value
    .split(/[\n\r]+|(?<=[。；;])/u)
    .map((line) =>
      line
        .replace(/^\s*\d{1,2}[.、：](?!\d)\s*/u, "")
        .replace(/[。；;，,\s]+$/u, "")
        .trim(),
    )
    .filter((line) => line !== "");
}

/** "填充物" inside a value: "面料: 96%涤纶\n填充物：100%聚酯纤维". */
function labelledPart(product: KnownProduct, group: AttributeGroup): string | null {
  for (const value of Object.values(product.attributes ?? {})) {
    for (const part of value.split(/[\n;；/]+|\s{2,}/u)) {
      const [, label = "", content = ""] = /^\s*([^:：]{1,8})[:：]\s*(.+)$/u.exec(part) ?? [];
      if (label !== "" && group.names.test(label) && !isInjection(part)) return `${label}是${content.trim()}`;
    }
  }
  return null;
}

function quote(attributes: readonly (readonly [string, string])[], asked: Asked): string | null {
  const parts = attributes
    .filter(([name, value]) => value !== "" && !isInjection(`${name}：${value}`) && !isInjection(value))
    .slice(0, ATTRIBUTES_MAX)
    .map(([name, value]) => `${name.replace(/^[*\s]+/u, "")}是${clip(value, asked)}`);
  return parts.length === 0 ? null : parts.join("，");
}

/** The value on one line; of several lines, those of the measure or the specification that the question names. */
function clip(value: string, { whole, named }: Asked): string {
  const lines = linesOf(value);
  const measures = [...normaliseForMatch(whole).matchAll(/\d+(?:\.\d+)?/gu)].map(([number]) => number);
  const fitting = lines.filter(
    (line) => measures.some((number) => startsWithMeasure(line, number)) || named.some((spec) => isOf(line, spec)),
  );
  const chosen = fitting.length > 0 ? fitting : lines;
  let text = "";
  for (const line of chosen) {
    if (text !== "" && text.length + line.length > VALUE_CHARS_MAX) break;
    text += `${text === "" ? "" : "，"}${line}`;
  }
  return text;
}

/** "加翼款50cm×30cm" is of 加翼款, "L 232*213mm" of L. */
function isOf(line: string, spec: string): boolean {
  const letter = /^([a-z]{1,4})[码号]?$/iu.exec(spec)?.[1];
  if (letter !== undefined) return new RegExp(`^${letter}(?![a-z])`, "iu").test(line);
  const core = coreOf(normaliseForMatch(spec));
  return core.length >= 2 && line.includes(core);
}

function startsWithMeasure(line: string, number: string): boolean {
  const head = /^\D{0,4}(\d+(?:\.\d+)?)/u.exec(line)?.[1];
  return head === number;
}

function quoteProse(product: KnownProduct, question: string, said: RegExp): string | null {
  const prose = [...Object.values(product.attributes ?? {}), product.brief ?? ""];
  const sentences = prose.flatMap(splitSentences).filter((line) => said.test(line) && line.length <= VALUE_CHARS_MAX);
  const quotable = sentences.filter((line) => !isInjection(line));
  const exact = quotable.filter((line) =>
    [...line.matchAll(new RegExp(said, "gu"))].some(([word]) => question.includes(word)),
  );
  const best = (exact.length > 0 ? exact : quotable).slice(0, 2);
  return best.length === 0 ? null : `资料里写的是：${best.join("；")}`;
}
