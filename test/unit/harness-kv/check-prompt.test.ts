import { describe, it } from "vitest";
import { chatMarkers, checkPrompt } from "../../../harness-kv/check-prompt.ts";
import { aBundle } from "./bundle-files.ts";

const SKILL = { name: "stock", description: "库存", body: "查库存。" };
const KNOWLEDGE = { id: "a", text: "七日内可退", keywords: ["退货"], source: "法律" };

/** A bundle with some sections' texts replaced. */
const withPrompt = (prompt: Record<string, string>) => aBundle({ prompt: { ...aBundle().prompt, ...prompt } });

describe("checkPrompt", () => {
  it("finds nothing in a good prompt", ({ expect }) => {
    expect(checkPrompt(aBundle({ skills: [SKILL], knowledge: [KNOWLEDGE] }))).toEqual([]);
  });

  it.for([
    { name: "a variable that does not exist", text: "好\n{{ 商品名 }}", line: 2, says: "商品名" },
    { name: "a variable of Object.prototype", text: "{{ constructor }}", line: 1, says: "constructor" },
    { name: "a variable of a less stable part", text: "{{ turn.state }}", line: 1, says: "belongs to the part `turn`" },
    { name: "an expression", text: "{{ room.title | upper }}", line: 1, says: "`{{`" },
    { name: "a marker of a chat template", text: "好\n\n<|im_start|>system", line: 3, says: "<|im_start|>" },
  ])("refuses $name, with its line", ({ text, line, says }, { expect }) => {
    expect(checkPrompt(withPrompt({ identity: text }))).toEqual([
      expect.objectContaining({
        file: "prompt/identity.md",
        line,
        severity: "error",
        message: expect.stringContaining(says),
      }),
    ]);
  });

  it("refuses a section that has no file, one that is listed twice and a file that is in no part", ({ expect }) => {
    const { sections } = aBundle();
    const bundle = withPrompt({ spare: "多余" });
    const problems = checkPrompt({ ...bundle, sections: { ...sections, system: ["identity", "tone", "identity"] } });
    expect(problems.map(({ file, message }) => [file, message])).toEqual([
      ["harness.json", "There is no section `tone`"],
      ["harness.json", "The section `identity` is listed twice"],
      ["prompt/spare.md", "The section is in no part of the prompt"],
    ]);
  });

  it("refuses a section named like a property of every object", ({ expect }) => {
    const { sections } = aBundle();
    const problems = checkPrompt(aBundle({ sections: { ...sections, system: ["identity", "constructor"] } }));
    expect(problems).toEqual([expect.objectContaining({ message: "There is no section `constructor`" })]);
  });

  it.for([
    { name: "the question", variable: "turn.messages", bundle: {} },
    { name: "the skills", variable: "skills", bundle: { skills: [SKILL] } },
    { name: "the knowledge", variable: "turn.knowledge", bundle: { knowledge: [KNOWLEDGE] } },
  ])("refuses a prompt that leaves $name out", ({ variable, bundle }, { expect }) => {
    const good = aBundle(bundle);
    const prompt = Object.fromEntries(
      Object.entries(good.prompt).map(([name, text]) => [name, text.replace(`{{ ${variable} }}`, "。")]),
    );
    expect(checkPrompt({ ...good, prompt })).toEqual([
      expect.objectContaining({ severity: "error", message: expect.stringContaining(variable) }),
    ]);
  });

  it("warns when the host would not know the catalogue", ({ expect }) => {
    expect(checkPrompt(withPrompt({ shop: "{{ room.faq }}" }))).toEqual([
      expect.objectContaining({ severity: "warning", message: expect.stringContaining("room.catalogue") }),
    ]);
  });

  it("warns of a strategist that no turn would hear", ({ expect }) => {
    const bundle = aBundle();
    const strategy = { ...bundle.strategy, isOn: true };
    const told = { ...bundle.prompt, turn: `{{ turn.strategy }}\n${bundle.prompt["turn"]}` };
    expect(checkPrompt({ ...bundle, strategy, prompt: told })).toEqual([]);
    expect(checkPrompt({ ...bundle, strategy })).toEqual([
      expect.objectContaining({ severity: "warning", message: expect.stringContaining("turn.strategy") }),
    ]);
  });

  it("warns of evidence between the question and the answer", ({ expect }) => {
    const turn = "{{ turn.state }}{{ turn.changes }}{{ turn.knowledge }}{{ turn.messages }}{{ turn.facts }}";
    expect(checkPrompt(withPrompt({ turn }))).toEqual([
      expect.objectContaining({ file: "prompt/turn.md", severity: "warning" }),
    ]);
  });

  it("warns of a section and of a part above their budgets, and not of one at them", ({ expect }) => {
    const rest = "{{ skills }}".length / 4;
    expect(checkPrompt(withPrompt({ identity: `${"价".repeat((1_500 - rest) / 1.5)}{{ skills }}` }))).toEqual([]);
    expect(checkPrompt(withPrompt({ identity: `${"价".repeat(1_000)}{{ skills }}` }))).toEqual([
      expect.objectContaining({ file: "prompt/identity.md", severity: "warning" }),
    ]);
    const turn = `${aBundle().prompt["turn"]}${"价".repeat(200)}`;
    expect(checkPrompt(withPrompt({ turn }))).toEqual([
      expect.objectContaining({ file: "harness.json", message: expect.stringContaining("The part `turn`") }),
    ]);
  });
});

describe("chatMarkers", () => {
  it.for(["<|im_end|>", "a</think>b", "[INST]", "<|endoftext|>"])("finds %s", (text, { expect }) => {
    expect(chatMarkers(text, (line) => ({ file: "f", line }))).toHaveLength(1);
  });

  it.for(["XL<L", "a | b", "<evidence>", "[列表]"])("leaves %s alone", (text, { expect }) => {
    expect(chatMarkers(text, (line) => ({ file: "f", line }))).toEqual([]);
  });
});
