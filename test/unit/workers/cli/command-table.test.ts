import { describe, it } from "vitest";
import { CliError } from "../../../../workers/cli/cli-error.ts";
import { formatHelp } from "../../../../workers/cli/command-help.ts";
import { parseCommand } from "../../../../workers/cli/command-line.ts";
import type { CommandEntry } from "../../../../workers/cli/command-entry.ts";
import { COMMANDS } from "../../../../workers/cli/command-table.ts";

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  start: [],
  ask: ["在吗"],
  token: ["--aud", "room"],
  "harness init": ["shop"],
  "harness check": ["a"],
  "harness test": ["a"],
  "harness diff": ["a"],
  "harness push": ["a"],
  "harness list": ["a"],
  "harness show": ["a"],
  "harness pull": ["a"],
  "harness release": ["a", "9f2c1a0b"],
  "harness plan": ["a", "9f2c1a0b"],
  "harness plans": ["a"],
  "harness approve": ["a", "1a2b"],
  "harness withdraw": ["a", "1a2b"],
  "harness rollback": ["a"],
  "harness canary": ["a", "9f2c1a0b", "--share", "5"],
  "harness limits": ["a"],
  "harness pin": ["a", "9f2c1a0b", "--room", "r"],
  "harness unpin": ["a", "--room", "r"],
  "harness freeze": ["a", "--reason", "x"],
  "harness unfreeze": ["a"],
  "harness revoke": ["a", "9f2c1a0b", "--reason", "x"],
  "harness gate": ["a", "9f2c1a0b"],
  "harness backup": ["a"],
  "keys new": ["li"],
  "audit list": [],
  "audit verify": [],
  "endpoint list": [],
  "endpoint show": ["h20"],
  "endpoint set": ["h20", "--slots", "4"],
  "endpoint check": ["h20"],
  "endpoint remove": ["h20"],
  "room list": [],
  "room show": ["r"],
  "room set": ["r", "a.json"],
  "room state": ["r", "--on-screen", "1"],
  "room interrupt": ["r"],
  "room host-speech": ["r", "欢迎"],
  "room prompt": ["r", "0".repeat(64)],
  "room follow": ["r"],
  "turn show": ["r", "t1"],
  "turn replay": ["r", "t1"],
  "chat bilibili": ["--room", "r", "--auth", "f"],
  deploy: [],
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
    const help = formatHelp(COMMANDS);
    for (const { words, about } of COMMANDS) {
      expect(help).toContain(`npx kaibo ${words.join(" ")}`);
      expect(help).toContain(about);
    }
    expect(help.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(help).toMatch(/Exit codes: 0 .*; 1 .*; 2 /);
  });

  it("shows a group of commands alone, and of each all options", ({ expect }) => {
    const group = formatHelp(COMMANDS, ["endpoint"]);
    expect(group.match(/^npx kaibo .*$/gm)).toEqual([
      "npx kaibo endpoint list",
      "npx kaibo endpoint show <name>",
      "npx kaibo endpoint set <name> --url U --model M",
      "npx kaibo endpoint check <name>",
      "npx kaibo endpoint remove <name>",
    ]);
  });

  it("shows one command alone, with what its options mean, those that all have included", ({ expect }) => {
    const about = formatHelp(COMMANDS, ["harness", "push"]);
    expect(about).toMatch(/^npx kaibo harness push <folder> .*\n {2}add a version; with --channel, serve it\n/);
    expect(about).toMatch(/--channel C +candidate, canary, production\n/);
    expect(about).toMatch(/--json +the answer as JSON/);
    expect(about).not.toContain("harness diff");
    expect(formatHelp(COMMANDS).split("\n").length).toBeGreaterThan(about.split("\n").length);
  });
});
