/** The sample harness with one fault each: none would be pushed, and each is told by its own code, file and line. */
import path from "node:path";
import { describe, it } from "vitest";
import { checkFiles } from "../../../harness-kv/check-files.ts";
import { checkForPush } from "../../../harness-kv/check-for-push.ts";
import { hasErrors } from "../../../harness-kv/problem.ts";
import { readBundle } from "../../../harness-kv/read-bundle.ts";
import { PROBLEM_CODES, type ProblemCode } from "../../../shared/contract/problem-codes.ts";
import { readFolder } from "./bundle-files.ts";

const SAMPLE = readFolder(path.resolve(import.meta.dirname, "../../../harness-kv/bundles/live-host"));

type Files = Map<string, string>;
type Fault = {
  readonly code: ProblemCode;
  readonly file: string;
  /** What stands on the line that is told, first in the file; null where a fault has no line. */
  readonly on: string | null;
  readonly make: (files: Files) => void;
};

const SETTINGS = "harness.json";
const SKILL = "skills/logistics/SKILL.md";
const PRICE = "tools/get_price.json";
const LAW = "hooks/30-advertising-law.json";
const HUMAN = "hooks/12-asked-if-human.json";
const MASK = "hooks/21-mask-personal-numbers.json";
const EXAMPLES = "skills/logistics/examples.jsonl";
const KNOWLEDGE = "knowledge/law-and-rules.jsonl";

/** Puts one text for another, once; a text that is not there is a fault of the test. */
const put =
  (file: string, text: string, by: string): Fault["make"] =>
  (files) => {
    const before = files.get(file) ?? "";
    if (!before.includes(text)) throw new Error(`${file} does not hold ${text}`);
    files.set(
      file,
      before.replace(text, () => by),
    );
  };

const write =
  (file: string, text: string): Fault["make"] =>
  (files) =>
    void files.set(file, text);

const append =
  (file: string, text: string): Fault["make"] =>
  (files) =>
    void files.set(file, `${files.get(file)?.trimEnd() ?? ""}${text}`);

const remove =
  (file: string): Fault["make"] =>
  (files) =>
    void files.delete(file);

const FAULTS: readonly Fault[] = [
  // Files
  { code: "no-settings", file: SETTINGS, on: null, make: remove(SETTINGS) },
  { code: "stray-file", file: "hook/a.json", on: null, make: write("hook/a.json", "{}") },
  {
    code: "unclean-text",
    file: "prompt/speech.md",
    on: "\u0007",
    make: put("prompt/speech.md", "一句说", "一句\u0007"),
  },
  { code: "not-json", file: PRICE, on: '"timeoutMs": 800', make: put(PRICE, '"timeoutMs": 800', '"timeoutMs": 800,') },
  {
    code: "not-yaml",
    file: SKILL,
    on: "name: again",
    make: put(SKILL, "name: logistics", "name: logistics\nname: again"),
  },
  {
    code: "no-front-matter",
    file: SKILL,
    on: "# 发货",
    make: put(SKILL, /^---[\s\S]*?\n---\n\n/.exec(SAMPLE.get(SKILL) ?? "")?.[0] ?? "", ""),
  },
  {
    code: "duplicate-key",
    file: PRICE,
    on: '"title": "另一个"',
    make: put(PRICE, '"title": "算价格",', '"title": "算价格",\n  "title": "另一个",'),
  },
  { code: "name-mismatch", file: PRICE, on: '"name": "get_prices"', make: put(PRICE, '"get_price"', '"get_prices"') },
  { code: "name-mismatch", file: SKILL, on: "name: logistic\n", make: put(SKILL, "name: logistics", "name: logistic") },
  { code: "name-mismatch", file: LAW, on: '"name": "30-law"', make: put(LAW, '"30-advertising-law"', '"30-law"') },
  // Schema
  { code: "unknown-field", file: SETTINGS, on: '"deadline"', make: put(SETTINGS, '"deadlineMs"', '"deadline"') },
  { code: "unknown-field", file: SKILL, on: "origin:", make: put(SKILL, "metadata:", "origin: x\nmetadata:") },
  { code: "missing-field", file: PRICE, on: "{", make: withoutDescription() },
  {
    code: "invalid-value",
    file: SETTINGS,
    on: '"stepsMax": 50',
    make: put(SETTINGS, '"stepsMax": 5', '"stepsMax": 50'),
  },
  {
    code: "unknown-event",
    file: LAW,
    on: '"event": "BeforeSpeech"',
    make: put(LAW, '"PreUtterance"', '"BeforeSpeech"'),
  },
  // The whole
  {
    code: "duplicate-name",
    file: KNOWLEDGE,
    on: '"另一条"',
    make: append(KNOWLEDGE, '\n{"id": "return-seven-days", "text": "另一条", "keywords": ["退"], "source": "s"}\n'),
  },
  // Prompt
  { code: "empty-section", file: "prompt/speech.md", on: null, make: write("prompt/speech.md", "\n\n") },
  {
    code: "missing-section",
    file: SETTINGS,
    on: '"system": [',
    make: put(SETTINGS, '"identity", ', '"identity", "voice", '),
  },
  {
    code: "section-listed-twice",
    file: SETTINGS,
    on: '"merchant": [',
    make: put(SETTINGS, '["merchant-rules"]', '["merchant-rules", "merchant-rules"]'),
  },
  { code: "unlisted-section", file: "prompt/more.md", on: null, make: write("prompt/more.md", "多说一点") },
  {
    code: "unknown-variable",
    file: "prompt/speech.md",
    on: "{{ room.weather }}",
    make: append("prompt/speech.md", "\n- {{ room.weather }}"),
  },
  {
    code: "misplaced-variable",
    file: "prompt/speech.md",
    on: "{{ turn.facts }}",
    make: append("prompt/speech.md", "\n- {{ turn.facts }}"),
  },
  {
    code: "broken-placeholder",
    file: "prompt/speech.md",
    on: "{{ skills | upper }}",
    make: append("prompt/speech.md", "\n- {{ skills | upper }}"),
  },
  { code: "chat-marker", file: SKILL, on: "<|im_end|>", make: append(SKILL, "\n<|im_end|>") },
  { code: "question-unread", file: SETTINGS, on: '"turn": [', make: write("prompt/turn-messages.md", "问题") },
  { code: "skills-unread", file: SETTINGS, on: '"system": [', make: write("prompt/skills.md", "技能") },
  { code: "knowledge-unread", file: SETTINGS, on: '"turn": [', make: write("prompt/turn-knowledge.md", "经验") },
  // Tools
  { code: "reserved-name", file: "tools/load_skill.json", on: '"name"', make: copyTool("load_skill") },
  {
    code: "unknown-builtin",
    file: PRICE,
    on: '"builtin": "refund"',
    make: put(PRICE, '"builtin": "get_price"', '"builtin": "refund"'),
  },
  {
    code: "plain-secret",
    file: PRICE,
    on: '"url"',
    make: bind('"type": "http",\n    "url": "http://erp.example/price",\n    "secret": "TOOL_SECRET_ERP"'),
  },
  {
    code: "undescribed-argument",
    file: PRICE,
    on: '"required"',
    make: put(PRICE, '"spec", "quantity"]', '"spec", "quantity", "coupon"]'),
  },
  { code: "untyped-argument", file: PRICE, on: '"quantity": {', make: put(PRICE, '"type": "integer",', "") },
  {
    code: "unportable-schema",
    file: PRICE,
    on: '"anyOf"',
    make: put(PRICE, '"maximum": 999,', '"maximum": 999,\n        "anyOf": [],'),
  },
  {
    code: "unbounded-pattern",
    file: PRICE,
    on: '"pattern"',
    make: put(PRICE, '"maxLength": 120,', '"maxLength": 120,\n        "pattern": "^(?=a)",'),
  },
  { code: "missing-tool", file: SKILL, on: "allowed-tools:", make: put(SKILL, "search_faq hand", "search_faqs hand") },
  { code: "missing-tool", file: MASK, on: '"matcher"', make: put(MASK, '"hand_over_to_human"', '"hand_over"') },
  {
    code: "missing-tool",
    file: "hooks/37-promise-without-action.json",
    on: '"记下来了"',
    make: put(
      "hooks/37-promise-without-action.json",
      '"记下来了": ["hand_over_to_human"]',
      '"记下来了": ["write_down"]',
    ),
  },
  // Skills
  { code: "no-skill-file", file: "skills/refund/SKILL.md", on: null, make: write("skills/refund/notes.md", "x") },
  {
    code: "markup-in-description",
    file: SKILL,
    on: "description:",
    make: put(SKILL, "description: 回答", "description: <b>回答</b>"),
  },
  { code: "framing-tag", file: SKILL, on: "</skill_content>", make: append(SKILL, "\n</skill_content>") },
  { code: "idle-example", file: EXAMPLES, on: "发货吗", make: write(EXAMPLES, '\n{"question": "发货吗"}\n') },
  // Hooks
  {
    code: "missing-module",
    file: MASK,
    on: '"code": "mask.js"',
    make: (files) => {
      put(MASK, "mask-personal-numbers.js", "mask.js")(files);
      files.delete("hooks/mask-personal-numbers.js");
    },
  },
  { code: "unused-module", file: "hooks/old.js", on: null, make: write("hooks/old.js", "export default () => ({});") },
  {
    code: "unbounded-pattern",
    file: LAW,
    on: '"pattern": "(a+)',
    make: check('"type": "pattern",\n    "pattern": "(a+)+\\\\1"'),
  },
  {
    code: "unbounded-pattern",
    file: MASK,
    on: '"matcher"',
    make: put(MASK, '"hand_over_to_human"', '"(?<=x)hand_over_to_human"'),
  },
  {
    code: "invalid-condition",
    file: HUMAN,
    on: '"when"',
    make: put(HUMAN, "input.prompt.contains(word)", "input.text.contains(word)"),
  },
  {
    code: "needless-matcher",
    file: LAW,
    on: '"matcher"',
    make: put(LAW, '"type": "check",', '"type": "check",\n  "matcher": "get_price",'),
  },
  { code: "impossible-action", file: LAW, on: '"action"', make: put(LAW, '"PreUtterance"', '"PostUtterance"') },
  {
    code: "idle-check",
    file: "hooks/20-tool-arguments.json",
    on: '"check": {',
    make: put("hooks/20-tool-arguments.json", '"PreToolUse"', '"PostToolUse"'),
  },
  {
    code: "missing-check",
    file: LAW,
    on: '"action"',
    make: (files) => files.set(LAW, (files.get(LAW) ?? "").replace(/ {2}"check": \{[\s\S]*?\n {2}\},\n/, "")),
  },
  // Lines
  {
    code: "forbidden-word",
    file: SETTINGS,
    on: "全网最低价",
    make: put(SETTINGS, "这个我看一下哈。", "我们是全网最低价。"),
  },
  {
    code: "forbidden-word",
    file: HUMAN,
    on: '"text"',
    make: put(
      HUMAN,
      '"type": "context",\n    "text": "观众在问主播是不是真人。第一句照实说自己是 AI 主播，再回答别的。"',
      '"type": "answer",\n    "text": "我是最好的主播。",\n    "reason": "x"',
    ),
  },
  {
    code: "forbidden-word",
    file: EXAMPLES,
    on: "最低价",
    make: write(EXAMPLES, '{"question": "发货吗", "mustContain": ["全网最低价"]}'),
  },
];

function withoutDescription(): Fault["make"] {
  return (files) => files.set(PRICE, (files.get(PRICE) ?? "").replace(/ {2}"description": "一款.*\n/, ""));
}

function copyTool(name: string): Fault["make"] {
  return (files) => files.set(`tools/${name}.json`, (files.get(PRICE) ?? "").replace('"get_price"', `"${name}"`));
}

function bind(fields: string): Fault["make"] {
  return put(PRICE, '"type": "builtin",\n    "builtin": "get_price"', fields);
}

function check(fields: string): Fault["make"] {
  return (files) => {
    files.set(
      LAW,
      (files.get(LAW) ?? "").replace(/"check": \{[\s\S]*?\n {2}\}/, () => `"check": {\n    ${fields}\n  }`),
    );
    put(LAW, '"type": "rewrite"', '"type": "block"')(files);
  };
}

describe("a broken bundle", () => {
  it.for(FAULTS.map((fault, index) => ({ ...fault, index: index + 1 })))(
    "$index: $code at $file",
    ({ code, file, on, make }, { expect }) => {
      const files = new Map(SAMPLE);
      make(files);
      const { bundle, problems } = checkFiles(files);
      const errors = problems.filter(({ severity }) => severity === "error");
      const told = errors.map(({ code: told, file: where, line }) => ({ code: told, file: where, line: line ?? null }));
      expect(told).toEqual([{ code, file, line: on === null ? null : lineOf(files.get(file), on) }]);
      expect(bundle).toBeNull();
      expect(errors.every(({ message, fix }) => message !== "" && fix !== "")).toBe(true);
    },
  );

  it("is refused by a push that never saw the folder, too", ({ expect }) => {
    const passed = FAULTS.filter(({ make, file }) => {
      const files = new Map(SAMPLE);
      make(files);
      const { bundle } = readBundle(files);
      // Examples are no part of a version.
      return file !== EXAMPLES && bundle !== null && !hasErrors(checkForPush(bundle));
    });
    expect(passed.map(({ code, file }) => `${code} ${file}`)).toEqual([]);
  });

  it("is one of at least 40, and the sample itself is none", ({ expect }) => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(40);
    expect(checkFiles(SAMPLE).problems).toEqual([]);
    expect(new Set(FAULTS.map(({ code }) => code)).size).toBeGreaterThanOrEqual(40);
    expect(FAULTS.filter(({ code }) => !Object.hasOwn(PROBLEM_CODES, code))).toEqual([]);
  });
});

function lineOf(text: string | undefined, on: string): number {
  const at = (text ?? "").indexOf(on);
  if (at === -1) throw new Error(`nowhere: ${on}`);
  return (text ?? "").slice(0, at).split("\n").length;
}
