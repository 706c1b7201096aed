import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { errorAt, warningAt, type LineOf, type Problem, type SourceFile } from "./problem.ts";
import { lineFinder } from "./read-json.ts";

export type FrontMatter = {
  /** The fields, or null when there is no front matter that can be read. */
  readonly fields: unknown;
  readonly body: string;
  readonly lineOf: LineOf;
  readonly problems: readonly Problem[];
};

const FENCE = /^---[ \t]*$/;
const NONE: LineOf = () => 1;

/**
 * Splits a Markdown file into YAML fields and body. The fence is a line of `---` alone, so three hyphens inside a value
 * do not end it; a file that ends right after the closing fence has an empty body.
 */
export function readFrontMatter({ path, text }: SourceFile): FrontMatter {
  const lines = text.split("\n");
  const end = FENCE.test(lines[0] ?? "") ? lines.findIndex((line, index) => index > 0 && FENCE.test(line)) : -1;
  if (end === -1) {
    const problem = errorAt(
      "no-front-matter",
      { file: path, line: 1 },
      "No front matter",
      "Begin the file with a line `---`, the fields, and a line `---`",
    );
    return { fields: null, body: text, lineOf: NONE, problems: [problem] };
  }
  const body = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return { body, ...readFields(path, lines.slice(1, end)) };
}

function readFields(file: string, lines: readonly string[]): Omit<FrontMatter, "body"> {
  const first = parse(lines);
  const quoted = first.document.errors.length === 0 ? null : quoteBrokenValues(lines);
  const retried = quoted === null ? first : parse(quoted.lines);
  const { document, lineAt } = retried.document.errors.length === 0 ? retried : first;
  const [error] = document.errors;
  if (error !== undefined) {
    const line = lineAt(error.pos[0]);
    const problem = errorAt(
      "not-yaml",
      { file, line },
      `The front matter is not YAML: ${error.code}`,
      "Put the value in double quotes",
    );
    return { fields: null, lineOf: () => line, problems: [problem] };
  }
  const warnings = (quoted?.indexes ?? []).map((index) =>
    warningAt(
      "misread-value",
      { file, line: index + 2 },
      "A value that YAML misreads was taken as text",
      "Put the value in double quotes",
    ),
  );
  return {
    fields: document.toJS({ maxAliasCount: 0 }),
    lineOf: lineFinder(document, lineAt),
    problems: [...warnings, ...lostComments(file, document, lineAt)],
  };
}

function parse(lines: readonly string[]): { document: Document.Parsed; lineAt: (offset: number) => number } {
  const lineCounter = new LineCounter();
  const document = parseDocument(lines.join("\n"), { lineCounter, schema: "core", logLevel: "silent" });
  // The fields begin on the file's second line, below the fence.
  return { document, lineAt: (offset) => lineCounter.linePos(offset).line + 1 };
}

/** Quotes the values of `key: value` lines that are no YAML by themselves, above all those with a second colon. */
function quoteBrokenValues(lines: readonly string[]): { lines: string[]; indexes: number[] } {
  const indexes: number[] = [];
  const quoted = lines.map((line, index) => {
    const [, key, value] = /^(\s*[\w.-]+:)[ \t]+(.+)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return line;
    if (parse([line.trimStart()]).document.errors.length === 0) return line;
    indexes.push(index);
    return `${key} ${JSON.stringify(value.trim())}`;
  });
  return { lines: quoted, indexes };
}

/** Text after ` #` is a comment to YAML; in a description it is a loss that nobody sees. */
function lostComments(file: string, document: Document.Parsed, lineAt: (offset: number) => number): Problem[] {
  if (!isMap(document.contents)) return [];
  return document.contents.items.flatMap(({ value }) => {
    if (!isScalar(value) || typeof value.comment !== "string") return [];
    const line = value.range === undefined || value.range === null ? undefined : lineAt(value.range[0]);
    return [
      warningAt(
        "lost-comment",
        { file, line },
        "The text after # is a comment and is not read",
        "Put the value in double quotes",
      ),
    ];
  });
}
