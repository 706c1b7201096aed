/** Examples that skills carry: questions, and what a host's answer must and must not hold. No part of any version. */
import { z } from "zod";
import { errorAt, schemaProblems, type Place, type Problem, type Reading, type SourceFile } from "./problem.ts";
import { readJson } from "./read-json.ts";

const wordingSchema = z.string().min(1).max(200);

const exampleSchema = z.strictObject({
  question: z.string().min(1).max(500),
  /** Each must occur in the reply. */
  mustContain: z.array(wordingSchema).max(20).default([]),
  /** None may occur in the reply. */
  mustNotContain: z.array(wordingSchema).max(20).default([]),
  /** Link number of the product on screen; absent: link 1. */
  onScreen: z.int().min(1).optional(),
  /** A folder of `harness-kv/rooms/`, or a room's file beside the harness; absent: whatever the test is run with. */
  room: z.string().min(1).max(200).optional(),
});

export type SkillExample = z.infer<typeof exampleSchema> & { readonly skill: string; readonly place: Place };

const EXAMPLES = /^skills\/([^/]+)\/examples\.jsonl$/;

/** True for a file of examples, which the policy must never read: it tells the answers. */
export function isExamplesFile(path: string): boolean {
  return EXAMPLES.test(path);
}

/** Reads `skills/<name>/examples.jsonl`: one example a line, blank lines allowed. */
export function readExamples(files: readonly SourceFile[]): Reading<SkillExample[]> {
  const value: SkillExample[] = [];
  const problems: Problem[] = [];
  for (const { path, text } of files) {
    const skill = EXAMPLES.exec(path)?.[1];
    if (skill === undefined) continue;
    for (const [index, line] of text.split("\n").entries()) {
      if (line.trim() === "") continue;
      const reading = readLine(path, line, index + 1);
      problems.push(...reading.problems);
      if (reading.value !== null) value.push({ ...reading.value, skill, place: { file: path, line: index + 1 } });
    }
  }
  return { value, problems };
}

function readLine(path: string, text: string, line: number): Reading<z.infer<typeof exampleSchema> | null> {
  const json = readJson({ path, text });
  if (json.value === undefined)
    return { value: null, problems: json.problems.map((problem) => ({ ...problem, line })) };
  const example = exampleSchema.safeParse(json.value);
  if (!example.success) return { value: null, problems: schemaProblems(path, example.error, () => line) };
  const { mustContain, mustNotContain } = example.data;
  if (mustContain.length + mustNotContain.length > 0) return { value: example.data, problems: [] };
  const fix = "Add `mustContain` or `mustNotContain`: an example that asks for nothing cannot fail";
  return {
    value: null,
    problems: [errorAt("idle-example", { file: path, line }, "The example asks for nothing", fix)],
  };
}
