/** House style that a linter cannot see. Each ban names what to write instead. */
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it } from "vitest";
import { ROOT, readSourceFiles } from "./source-files.ts";

const BANS: readonly { readonly where: RegExp; readonly text: RegExp; readonly instead: string }[] = [
  { where: /^(shared|harness-kv)\//, text: /\bDate\.now\(|new Date\(\)/, instead: "Clock, passed in" },
  {
    where: /^(shared|harness-kv)\//,
    text: /\bMath\.random\(|crypto\.randomUUID\(/,
    instead: "an id or random source, passed in",
  },
  { where: /^(shared|harness-kv)\//, text: /\bfetch\(|\bconsole\./, instead: "a port, passed in" },
  { where: /^(shared|harness-kv)\//, text: /\bEnv\b|cloudflare:/, instead: "a narrow interface; Env is for workers/" },
  { where: /^workers\/room\//, text: /^\s*private\s/m, instead: "#name; TypeScript private methods answer RPC calls" },
  {
    where: /^(?!shared\/core\/json)/,
    text: /\bJSON\.parse\(/,
    instead: "parseJson() and a schema from shared/contract",
  },
  { where: /./, text: /instanceof AppError/, instead: "isAppError(); instanceof does not survive RPC" },
  { where: /./, text: /\b(TODO|FIXME|XXX)\b/, instead: "an issue" },
];
const VAGUE_NAMES =
  /(^|\/)(utils?|helpers?|common|misc|manager|service)s?\.ts$|-(manager|service|utils?|helpers?)\.ts$/;
const files = readSourceFiles();

describe("tidy", () => {
  it.for(BANS)("bans $text: write $instead", ({ where, text }, { expect }) => {
    expect(
      files.filter((file) => where.test(file.path) && text.test(stripComments(file.text))).map((file) => file.path),
    ).toEqual([]);
  });

  it("no file has a name that says nothing", ({ expect }) => {
    expect(files.map((file) => file.path).filter((name) => VAGUE_NAMES.test(name))).toEqual([]);
  });

  it("every file with behaviour in shared/ and harness-kv/ has a mirrored test", ({ expect }) => {
    const untested = files
      .filter(
        (file) =>
          /^(shared|harness-kv)\//.test(file.path) && /\bexport (async )?function|\bexport class/.test(file.text),
      )
      .filter((file) => !existsSync(path.join(ROOT, "test/unit", file.path.replace(/\.ts$/, ".test.ts"))));
    expect(untested.map((file) => file.path)).toEqual([]);
  });
});

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
}
