/** From a harness's folder to the bundle: every file is understood, or it is a problem. */
import {
  harnessBundleSchema,
  toolSchema,
  type HarnessBundle,
  type ToolDefinition,
} from "../shared/contract/harness-bundle.ts";
import { isCleanText } from "../shared/core/text.ts";
import {
  compare,
  errorAt,
  hasErrors,
  schemaProblems,
  sortProblems,
  warningAt,
  type Problem,
  type Reading,
  type SourceFile,
} from "./problem.ts";
import { readExamples, type SkillExample } from "./read-examples.ts";
import { readHooks } from "./read-hooks.ts";
import { readJson } from "./read-json.ts";
import { readKnowledge } from "./read-knowledge.ts";
import { readSkills } from "./read-skills.ts";
import { toSourceText } from "./source-text.ts";

/** `harness.json` holds everything that has no file of its own. */
const settingsSchema = harnessBundleSchema.omit({
  prompt: true,
  skills: true,
  tools: true,
  hooks: true,
  knowledge: true,
});

const SETTINGS = "harness.json";
const SAFE_PATH = /^[\p{L}\p{N}_.-]+(?:\/[\p{L}\p{N}_.-]+)*$/u;
const SECTION_FILE = /^prompt\/([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;
const NOTES = /^(?:README(?:\.md)?|LICENSE(?:\.\w+)?)$/i;

/** Where those who edit a harness write to one another. */
const README = "README.md";

/** A bundle, or null when a problem is an error. */
export type BundleReading = {
  readonly bundle: HarnessBundle | null;
  readonly examples: readonly SkillExample[];
  readonly problems: readonly Problem[];
};

/**
 * Reads a harness in source form.
 *
 * @param files - Text by path inside the folder, with `/` between folders. Whoever reads the disk decodes UTF-8 and
 *   refuses bytes that are not.
 */
export function readBundle(files: ReadonlyMap<string, string>): BundleReading {
  const sources = [...files]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([path, text]) => ({ path, text: toSourceText(text) }));
  const folders = Map.groupBy(sources, folderOf);
  const inFolder = (folder: Folder): readonly SourceFile[] => folders.get(folder) ?? [];

  const settings = readSettings(inFolder("settings")[0]);
  const prompt = readPrompt(inFolder("prompt"));
  const skills = readSkills(inFolder("skills"));
  const tools = readTools(inFolder("tools"));
  const hooks = readHooks(inFolder("hooks"));
  const knowledge = readKnowledge(inFolder("knowledge"));
  const { value: examples, problems: exampleProblems } = readExamples(inFolder("skills"));
  const problems = [
    ...exampleProblems,
    ...uncleanTexts(sources),
    ...strayFiles(inFolder("stray")),
    ...[settings, prompt, skills, tools, hooks, knowledge].flatMap((reading) => reading.problems),
  ];
  if (hasErrors(problems)) return { bundle: null, examples, problems: sortProblems(problems) };
  const parsed = harnessBundleSchema.safeParse({
    ...settings.value,
    prompt: prompt.value,
    skills: skills.value,
    tools: tools.value,
    hooks: hooks.value,
    knowledge: knowledge.value,
  });
  if (parsed.success) return { bundle: parsed.data, examples, problems: sortProblems(problems) };
  return {
    bundle: null,
    examples,
    problems: sortProblems([...problems, ...schemaProblems(SETTINGS, parsed.error, () => undefined)]),
  };
}

type Folder = "settings" | "prompt" | "skills" | "tools" | "hooks" | "knowledge" | "stray";

function folderOf({ path }: SourceFile): Folder {
  const parts = path.split("/");
  const [top] = parts;
  if (!SAFE_PATH.test(path) || parts.some((part) => part.startsWith("."))) return "stray";
  if (path === SETTINGS) return "settings";
  if (parts.length === 1) return "stray";
  if (top === "prompt" || top === "skills" || top === "tools" || top === "hooks" || top === "knowledge") return top;
  return "stray";
}

/** Hidden files and other notes are left out with a word; anything else in a wrong place may be a lost guard. */
function strayFiles(files: readonly SourceFile[]): Problem[] {
  const stray = files.filter(({ path }) => path !== README);
  return stray.map(({ path }) => {
    const known = NOTES.test(path) || path.split("/").some((part) => /^\.\w/.test(part));
    if (known)
      return warningAt("left-out", { file: path }, "Not part of the harness, left out", "Keep it outside the folder");
    return errorAt(
      "stray-file",
      { file: path },
      "Not understood",
      "Files go to prompt/, skills/, tools/, hooks/ or knowledge/; see harness-kv/README.md",
    );
  });
}

function uncleanTexts(files: readonly SourceFile[]): Problem[] {
  return files
    .filter(({ text }) => !isCleanText(text))
    .map(({ path, text }) =>
      errorAt(
        "unclean-text",
        { file: path, line: text.split("\n").findIndex((line) => !isCleanText(line)) + 1 },
        "The line holds a control character or half of a character",
        "Type the line again",
      ),
    );
}

type Settings = Omit<HarnessBundle, "prompt" | "skills" | "tools" | "hooks" | "knowledge">;

function readSettings(file: SourceFile | undefined): Reading<Settings | null> {
  if (file === undefined) {
    return {
      value: null,
      problems: [errorAt("no-settings", { file: SETTINGS }, "The harness has no harness.json", "Add the file")],
    };
  }
  const { value, lineOf, problems } = readJson(file);
  if (value === undefined) return { value: null, problems };
  const settings = settingsSchema.safeParse(value);
  if (settings.success) return { value: settings.data, problems };
  return { value: null, problems: [...problems, ...schemaProblems(file.path, settings.error, lineOf)] };
}

function readPrompt(files: readonly SourceFile[]): Reading<Record<string, string>> {
  const sections: [string, string][] = [];
  const problems: Problem[] = [];
  for (const { path, text } of files) {
    const name = SECTION_FILE.exec(path)?.[1];
    if (name === undefined) {
      problems.push(
        errorAt(
          "stray-file",
          { file: path },
          "Not a prompt section",
          "Name it prompt/<name>.md with a-z, 0-9 and single hyphens",
        ),
      );
    } else if (text.trim() === "") {
      problems.push(errorAt("empty-section", { file: path }, "The section is empty", "Write it, or remove the file"));
    } else sections.push([name, text.trim()]);
  }
  return { value: Object.fromEntries(sections), problems };
}

function readTools(files: readonly SourceFile[]): Reading<ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const json = readJson(file);
    problems.push(...json.problems);
    if (json.value === undefined) continue;
    const tool = toolSchema.safeParse(json.value);
    if (!tool.success) problems.push(...schemaProblems(file.path, tool.error, json.lineOf));
    else if (file.path !== `tools/${tool.data.name}.json`) {
      problems.push(
        errorAt(
          "name-mismatch",
          { file: file.path, line: json.lineOf(["name"]) },
          `The name \`${tool.data.name}\` is not the file's`,
          "Give both the same name",
        ),
      );
    } else tools.push(tool.data);
  }
  return { value: tools, problems };
}
