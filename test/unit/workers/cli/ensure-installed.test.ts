import { describe, it } from "vitest";
import {
  brokenLockSentence,
  isInstalled,
  npmFailureSentence,
  oldNodeSentence,
} from "../../../../workers/cli/ensure-installed.mjs";

const LOCK = lockOf({ "": {}, "node_modules/hono": { version: "4.13.19" } });

describe("oldNodeSentence", () => {
  it.for(["20.0.0", "20.20.2", "24.21.0", "100.0.0"])("accepts Node %s", (version, { expect }) => {
    expect(oldNodeSentence(version)).toBeNull();
  });

  it.for(["19.9.0", "18.20.4", "12.17.0", "8.0.0"])("says what Node %s lacks and what to do", (version, { expect }) => {
    const text = oldNodeSentence(version);
    expect(text).toContain(`this is Node ${version}`);
    expectThreeParts(text, expect);
  });
});

describe("brokenLockSentence", () => {
  it("accepts what npm writes", ({ expect }) => {
    expect(brokenLockSentence(LOCK)).toBeNull();
  });

  it.for([
    [null, "missing"],
    ["", "not the JSON"],
    ['{"lockfileVersion": 3, "packages": {', "not the JSON"],
    ["[]", "not the JSON"],
    ['{"lockfileVersion": 1, "dependencies": {}}', "not the JSON"],
    ['{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> theirs\n}', "merge"],
  ] as const)("says what is wrong with %j", ([text, named], { expect }) => {
    const sentence = brokenLockSentence(text);
    expect(sentence).toContain(named);
    expect(sentence).toContain("git checkout -- package-lock.json");
    expectThreeParts(sentence, expect);
  });
});

describe("isInstalled", () => {
  const packages = { "node_modules/hono": { version: "4.13.19" } };

  it("is true for the packages that the lock names", ({ expect }) => {
    expect(isInstalled(LOCK, lockOf(packages))).toBe(true);
  });

  it("lets packages for other platforms be absent", ({ expect }) => {
    const lock = lockOf({
      "": {},
      ...packages,
      "node_modules/@esbuild/win32-x64": { version: "1.0.0", optional: true },
    });
    expect(isInstalled(lock, lockOf(packages))).toBe(true);
  });

  it.for([
    ["nothing is installed", null],
    ["a package is absent", lockOf({})],
    ["a package has another version", lockOf({ "node_modules/hono": { version: "4.13.18" } })],
    [
      "a package is there that the lock does not name",
      lockOf({ ...packages, "node_modules/zod": { version: "4.6.7" } }),
    ],
    ["npm's own record is cut", lockOf(packages).slice(0, -4)],
  ] as const)("is false when %s", ([, installed], { expect }) => {
    expect(isInstalled(LOCK, installed)).toBe(false);
  });
});

describe("npmFailureSentence", () => {
  it.for([
    [
      "npm error code EUSAGE\nnpm error `npm ci` can only install packages when … are in sync",
      "does not fit package.json",
    ],
    ["npm error Missing: left-pad@1.3.0 from lock file", "does not fit package.json"],
    [
      "npm error code EINTEGRITY\nnpm error sha512-… integrity checksum failed",
      "not the one that package-lock.json names",
    ],
    ["npm error code ENOTFOUND\nnpm error network request failed", "could not reach"],
    ["npm error code ENOSPC", "disk is full"],
    ["npm error code EACCES", "may not write"],
    ["npm error code ENEW\nnpm error something new", "something new"],
    ["", "could not install"],
  ] as const)("reads %j", ([words, named], { expect }) => {
    const sentence = npmFailureSentence(words);
    expect(sentence).toContain(named);
    expectThreeParts(sentence, expect);
  });
});

function expectThreeParts(text: string | null, expect: (value: unknown) => { toMatch(pattern: RegExp): void }): void {
  expect(text).toMatch(/^.+\n {2}Why: {2}.+\n {2}Next: .+\n$/);
}

function lockOf(packages: Record<string, object>): string {
  return JSON.stringify({ lockfileVersion: 3, packages });
}
