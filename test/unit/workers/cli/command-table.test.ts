import { describe, it } from "vitest";
import { CliError } from "../../../../workers/cli/cli-error.ts";
import { formatHelp } from "../../../../workers/cli/command-help.ts";
import { HELP, parseCommand } from "../../../../workers/cli/command-line.ts";
import { COMMANDS, type CommandEntry } from "../../../../workers/cli/command-table.ts";

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  ask: ["在吗"],
  token: ["--aud", "room"],
  "harness init": ["shop"],
  "harness check": ["a"],
  "harness test": ["a"],
  "harness diff": ["a"],
  "harness push": ["a"],
  "endpoint list": [],
  "endpoint show": ["h20"],
  "endpoint set": ["h20", "--slots", "4"],
  "endpoint check": ["h20"],
  "endpoint remove": ["h20"],
  "chat bilibili": ["--room", "r", "--auth", "f"],
  "completion bash": [],
  "completion zsh": [],
};

/** True when the parser knows the option, whatever it thinks of the value. */
function isKnown({ words }: CommandEntry, option: readonly string[]): boolean {
  try {
    parseCommand([...words, ...(EXAMPLES[words.join(" ")] ?? []), ...option]);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown;
    return !thrown.why.startsWith("Unknown option");
  }
}

describe("COMMANDS", () => {
  it("is what the parser takes: each command, and each of its options", ({ expect }) => {
    expect(COMMANDS.map(({ words }) => words.join(" "))).toEqual(Object.keys(EXAMPLES));
    const unknown = COMMANDS.flatMap((entry) =>
      entry.options
        .filter(({ name, value }) => !isKnown(entry, value === undefined ? [`--${name}`] : [`--${name}`, "1"]))
        .map(({ name }) => `${entry.words.join(" ")} --${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe("formatHelp", () => {
  it("has a line for each command, in 120 columns, with the exit codes", ({ expect }) => {
    expect(HELP).toBe(formatHelp(COMMANDS));
    for (const { words, about } of COMMANDS) {
      expect(HELP).toContain(`npx kaibo ${words.join(" ")}`);
      expect(HELP).toContain(about);
    }
    expect(HELP.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(HELP).toMatch(/Exit codes: 0 .*; 1 .*; 2 /);
  });
});
