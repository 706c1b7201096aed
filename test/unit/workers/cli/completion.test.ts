import { spawnSync } from "node:child_process";
import { describe, it } from "vitest";
import { COMMANDS } from "../../../../workers/cli/command-table.ts";
import { completionScript } from "../../../../workers/cli/completion.ts";
import { ROOT } from "../../../../workers/cli/local/project.ts";

const SCRIPT = completionScript("bash", COMMANDS);

/** What bash would offer for the last of these words. */
function complete(...words: string[]): string[] {
  const quoted = ["kaibo", ...words].map((word) => `'${word}'`).join(" ");
  const program = `complete() { :; }\n${SCRIPT}\nCOMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _kaibo; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", program], { encoding: "utf8", cwd: ROOT });
  if (status !== 0 || stderr !== "") throw new Error(`${status}: ${stderr}`);
  return stdout.split("\n").filter((line) => line !== "");
}

describe("completionScript", () => {
  it.for([
    [["ha"], ["harness"]],
    [
      ["harness", "c"],
      ["check", "canary"],
    ],
    [
      ["audit", ""],
      ["list", "verify"],
    ],
    [["harness", "ch"], ["check"]],
    [["harness", "check", "harness-k"], ["harness-kv"]],
    [["harness", "diff", "harness-kv", "--ver"], ["--version"]],
    [
      ["harness", "push", "x", "--channel", "ca"],
      ["candidate", "canary"],
    ],
    [["endpoint", "set", "h20", "--kind", "s"], ["sglang"]],
    [["endpoint", "show", "x"], []],
    [["token", "--aud", "op"], ["operator"]],
    [["completion", "z"], ["zsh"]],
    [["room", "st"], ["state"]],
    [["room", "set", "r", "README"], ["README.md"]],
    [["sell", ""], []],
  ] as const)("completes %j", ([words, offered], { expect }) => {
    expect(complete(...words)).toEqual(offered);
  });

  it("knows every command", ({ expect }) => {
    expect(complete("")).toEqual(["help", ...new Set(COMMANDS.map(({ words }) => words[0]))]);
  });

  it("offers the options of every command, and no other's", ({ expect }) => {
    for (const { words, options } of COMMANDS) {
      expect(complete(...words, "--")).toEqual(options.map(({ name }) => `--${name}`));
    }
  });

  it("is bash's script for zsh, with what runs it there", ({ expect }) => {
    expect(completionScript("zsh", COMMANDS)).toMatch(/^autoload -U \+X compinit && compinit\n.*bashcompinit\n/);
    expect(completionScript("zsh", COMMANDS)).toContain(SCRIPT);
  });
});
