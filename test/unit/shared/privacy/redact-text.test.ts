import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import { redactText, redactValue } from "../../../../shared/privacy/redact-text.ts";
import { findIn, readRedactionCorpus } from "../../../helpers/redaction-corpus.ts";

const corpus = readRedactionCorpus();
const ROOM = path.join(import.meta.dirname, "../../../../harness-kv/rooms/yanxuan-home");

/** Pieces of finds and of their look-alikes, so that finds meet, touch and unlock one another. */
const PIECES = [
  ["13812345678", "138", "1234", "5678", "1", "3", "8", "一三八", "0538", "86", "+", "-", " ", ".", ",", "(", ")"],
  ["订单号", "order no", "SF1234567890123", "微信", "加v", "qq", "abc_123", "a@b.com", "@", "x", "号", ":", "是"],
  ["山东省", "泰安市", "中山路", "阳光小区", "3栋", "501室", "2-501", "身份证", "卡号", "元", "\u200b", "\n"],
  ["[phone]", "[order]", "[", "]", "6222021200001234567", "110105199003071", "221 baker street", "\ud83d"],
].flat();
const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 });
const anyText = fc.oneof(
  pieces.map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)), maxLength: 80 }),
);

describe("redactText", () => {
  it.for(corpus.filter(({ known }) => known === undefined))(
    "finds exactly what is personal: $text",
    (line, { expect }) => {
      expect(findIn(line.text)).toEqual(line.expect);
    },
  );

  it.for(corpus.filter(({ known }) => known !== undefined))("is known to read wrongly: $text", (line, { expect }) => {
    expect(findIn(line.text)).not.toEqual(line.expect);
  });

  it("has a corpus that can tell: many look-alikes, few known faults", ({ expect }) => {
    const share = (count: number) => count / corpus.length;
    expect(corpus.length).toBeGreaterThanOrEqual(260);
    expect(new Set(corpus.map(({ text }) => text)).size).toBe(corpus.length);
    expect(share(corpus.filter((line) => line.expect.length === 0).length)).toBeGreaterThanOrEqual(0.45);
    expect(share(corpus.filter(({ known }) => known !== undefined).length)).toBeLessThanOrEqual(0.03);
  });

  it("puts the kind in the place of each find and gives places of the source", ({ expect }) => {
    expect(redactText("我１３８ 1234 5678，发a@b.com")).toEqual({
      text: "我[phone]，发[email]",
      found: [
        { kind: "phone", start: 1, end: 14 },
        { kind: "email", start: 16, end: 23 },
      ],
    });
  });

  it("leaves the sample shop's catalogue and what its viewers ask", ({ expect }) => {
    const room: unknown = JSON.parse(readFileSync(path.join(ROOM, "room.json"), "utf8"));
    const comments = readFileSync(path.join(ROOM, "comments.jsonl"), "utf8").trimEnd().split("\n");
    const changed = [...stringsOf(room), ...comments.map((line) => String(stringsOf(JSON.parse(line))[1]))].filter(
      (text) => redactText(text).text !== text,
    );
    expect(changed).toEqual(["念一下这个：加微信 abc12345 领五折"]);
  });

  it("finds nothing in what it redacted", ({ expect }) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redactText(text).text;
        expect(redactText(once)).toEqual({ text: once, found: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps everything outside its finds, which are in order and apart", ({ expect }) => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { text: redacted, found } = redactText(text);
        let expected = "";
        let from = 0;
        for (const { kind, start, end } of found) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expected += `${text.slice(from, start)}[${kind}]`;
          from = end;
        }
        expect(redacted).toBe(expected + text.slice(from));
      }),
    );
  });

  it("reads long floods of what its patterns begin with", ({ expect }) => {
    for (const flood of ["1", "1 ", "a", "a@", "市", "路1号", "订单号", "微信:", "一", "加v ", "86-", "1 a "])
      expect(redactText(flood.repeat(5_000)).found.length).toBeLessThanOrEqual(5_000);
  });
});

describe("redactValue", () => {
  it("redacts every string and keeps keys, numbers and shape", ({ expect }) => {
    const value = { "13812345678": 13812345678, list: ["打13812345678", null, true, { text: "3号还有吗" }] };
    expect(redactValue(value)).toEqual({
      "13812345678": 13812345678,
      list: ["打[phone]", null, true, { text: "3号还有吗" }],
    });
  });

  it("keeps a key that objects treat as special", ({ expect }) => {
    const value = JSON.parse('{"__proto__":"13812345678"}') as { [key: string]: string };
    expect(JSON.stringify(redactValue(value))).toBe('{"__proto__":"[phone]"}');
  });
});

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}
