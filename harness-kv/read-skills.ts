import { z } from "zod";
import { skillSchema, type Skill } from "../shared/contract/harness-bundle.ts";
import { readFrontMatter } from "./front-matter.ts";
import {
  compare,
  errorAt,
  schemaProblems,
  warningAt,
  type LineOf,
  type Problem,
  type Reading,
  type SourceFile,
} from "./problem.ts";
import { isExamplesFile } from "./read-examples.ts";

/** The six fields of the Agent Skills format; `allowed-tools` is one text, its names parted by spaces. */
const fieldsSchema = z.strictObject({
  name: skillSchema.shape.name,
  description: skillSchema.shape.description,
  license: skillSchema.shape.license,
  compatibility: skillSchema.shape.compatibility,
  metadata: skillSchema.shape.metadata,
  "allowed-tools": z.string("expected one text with the names parted by spaces").optional(),
});

/** Evaluation cases of a skill: expected answers that the policy must never read. */
const EVALS = /^skills\/[^/]+\/evals\//;

/** Reads `skills/<name>/SKILL.md` and the files beside each. A skill that cannot be read is left out and reported. */
export function readSkills(files: readonly SourceFile[]): Reading<Skill[]> {
  const folders = Map.groupBy(files, ({ path }) => (path.split("/").length > 2 ? path.split("/")[1] : undefined));
  const skills: Skill[] = [];
  const problems: Problem[] = [];
  for (const [folder, members] of [...folders].toSorted(([a], [b]) => compare(a ?? "", b ?? ""))) {
    if (folder === undefined) {
      problems.push(
        ...members.map(({ path }) =>
          errorAt("stray-file", { file: path }, "Not in a skill's folder", "Move it to skills/<name>/SKILL.md"),
        ),
      );
      continue;
    }
    const reading = readSkill(folder, members);
    problems.push(...reading.problems);
    if (reading.value !== null) skills.push(reading.value);
  }
  return { value: skills, problems };
}

function readSkill(folder: string, files: readonly SourceFile[]): Reading<Skill | null> {
  const path = `skills/${folder}/SKILL.md`;
  const source = files.find((file) => file.path === path);
  if (source === undefined) {
    return {
      value: null,
      problems: [
        errorAt("no-skill-file", { file: path }, "The skill has no SKILL.md", "Add the file; its name is in capitals"),
      ],
    };
  }
  const { fields, body, lineOf, problems } = readFrontMatter(source);
  if (fields === null) return { value: null, problems };
  const parsed = fieldsSchema.safeParse(fields);
  if (!parsed.success) return { value: null, problems: [...problems, ...fieldProblems(path, parsed.error, lineOf)] };

  const { "allowed-tools": allowed, ...rest } = parsed.data;
  const extras = files.filter(({ path: other }) => other !== path && !EVALS.test(other) && !isExamplesFile(other));
  const skill = skillSchema.safeParse({
    ...rest,
    allowedTools: (allowed ?? "").split(" ").filter((name) => name !== ""),
    body,
    resources: Object.fromEntries(extras.map((file) => [file.path.slice(`skills/${folder}/`.length), file.text])),
  });
  const own = [...problems, ...placeProblems(folder, path, rest.name, lineOf), ...evalProblems(files)];
  if (skill.success) return { value: skill.data, problems: own };
  return { value: null, problems: [...own, ...schemaProblems(path, skill.error, toFieldLine(lineOf))] };
}

function placeProblems(folder: string, path: string, name: string, lineOf: LineOf): Problem[] {
  if (name === folder) return [];
  return [
    errorAt(
      "name-mismatch",
      { file: path, line: lineOf(["name"]) },
      `The name \`${name}\` is not the folder's`,
      `Write \`name: ${folder}\`, or rename the folder`,
    ),
  ];
}

function evalProblems(files: readonly SourceFile[]): Problem[] {
  return files
    .filter(({ path }) => EVALS.test(path))
    .map(({ path }) =>
      warningAt(
        "evals-left-out",
        { file: path },
        "Evaluation cases are not part of a harness",
        "Keep them outside the folder",
      ),
    );
}

/** Metadata that is not text and fields of other clients are the usual mistakes: say what to write. */
function fieldProblems(file: string, error: z.ZodError, lineOf: LineOf): Problem[] {
  return schemaProblems(file, error, lineOf).map((problem) => {
    if (problem.message.startsWith("`metadata.")) return { ...problem, fix: 'Put the value in double quotes: "3"' };
    if (problem.code === "unknown-field") {
      return {
        ...problem,
        fix: "Only name, description, license, compatibility, metadata and allowed-tools are read; move it under metadata",
      };
    }
    return problem;
  });
}

/** Fields are named after their place in the bundle; lines, after their place in the file. The body has none. */
function toFieldLine(lineOf: LineOf): LineOf {
  return ([field]) => {
    if (field === "body" || field === "resources") return undefined;
    return lineOf([field === "allowedTools" ? "allowed-tools" : (field ?? "name")]);
  };
}
