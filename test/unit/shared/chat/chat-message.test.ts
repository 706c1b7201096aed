import fc from "fast-check";
import { describe, it } from "vitest";
import { cleanChatText, toMessage, type Comment } from "../../../../shared/chat/chat-message.ts";
import { viewerMessageSchema } from "../../../../shared/contract/message.ts";

describe("toMessage", () => {
  it("puts the platform in front of the ids", ({ expect }) => {
    expect(toMessage(aComment({ id: "c0ffee-1", sentAtMs: 1_700_000_000_000 }))).toEqual({
      type: "message",
      message: { id: "bilibili:c0ffee-1", text: "有黑色吗", viewer: { id: "bilibili:v1", name: "小林", level: 12 } },
      sentAtMs: 1_700_000_000_000,
    });
  });

  it.for([
    ["a b", "bilibili:a:20:b"],
    ["a:20:b", "bilibili:a:3a:20:3a:b"],
    ["号", "bilibili::53f7:"],
  ] as const)("writes the id %j so that no other id becomes the same", ([id, written], { expect }) => {
    expect(toMessage(aComment({ id }))).toMatchObject({ message: { id: written } });
  });

  it.for([
    ["x".repeat(119), "message"],
    ["x".repeat(120), "ignored"],
  ] as const)("an id of too many characters is no id", ([id, type], { expect }) => {
    expect(toMessage(aComment({ id })).type).toBe(type);
  });

  it("knows no viewer without an id", ({ expect }) => {
    const event = toMessage(aComment({ viewer: { id: "", name: "小***", level: 3 } }));
    expect(event).toMatchObject({ type: "message", message: { id: "bilibili:m1", text: "有黑色吗" } });
    expect(event).not.toHaveProperty("message.viewer");
  });

  it.for([
    ["", undefined],
    [" \u0007 ", undefined],
    ["张***", "张***"],
    ["长".repeat(41), "长".repeat(40)],
    ["🐱".repeat(41), "🐱".repeat(40)],
  ] as const)("names the viewer %j as %j", ([name, shown], { expect }) => {
    const event = toMessage(aComment({ viewer: { id: "v1", name, level: 0 } }));
    expect(event.type === "message" ? event.message.viewer?.name : "none").toBe(shown);
  });

  it.for([
    [-3, 0],
    [21.9, 21],
    [101, 100],
    [Number.NaN, 0],
  ] as const)("brings the level %d to %d", ([level, brought], { expect }) => {
    const event = toMessage(aComment({ viewer: { id: "v1", name: "", level } }));
    expect(event).toMatchObject({ message: { viewer: { level: brought } } });
  });

  it.for([
    [500, 1_000],
    [60_000, 60_000],
    [7_200_000, 600_000],
  ] as const)("brings a life of %d ms to %d ms", ([ttlMs, brought], { expect }) => {
    expect(toMessage(aComment({ ttlMs }))).toMatchObject({ message: { ttlMs: brought } });
  });

  it.for([
    [{ text: "" }, "empty"],
    [{ text: " \u0000\n " }, "empty"],
    [{ id: "" }, "bad_id"],
    [{ text: "长".repeat(301) }, "too_long"],
    [{ viewer: { id: "v".repeat(128), name: "", level: 0 } }, "bad_id"],
  ] as const)("ignores %j: %s", ([changes, reason], { expect }) => {
    expect(toMessage(aComment(changes))).toEqual({ type: "ignored", reason });
  });

  it("never gives what the contract refuses", ({ expect }) => {
    const unit = fc.constantFrom("a", "？", "🎁", "\ud800", "\u0000", "\u200b", " ", "\n");
    const text = fc.string({ unit, maxLength: 310 });
    const viewer = fc.record({ id: text, name: text, level: fc.double() });
    const checked = fc.check(
      fc.property(text, text, viewer, fc.option(fc.double(), { nil: null }), (id, words, who, ttlMs) => {
        const comment = aComment({ id, text: words, viewer: who, ...(ttlMs !== null && { ttlMs }) });
        const event = toMessage(comment);
        return event.type !== "message" || viewerMessageSchema.safeParse(event.message).success;
      }),
    );
    expect(checked.counterexample).toBeNull();
  });
});

describe("cleanChatText", () => {
  it.for([
    ["有\u0000货\u009f吗", "有货吗"],
    ["\ud83d有货", "有货"],
    ["  🎁 有货\n", "🎁 有货"],
  ] as const)("%j becomes %j", ([text, cleaned], { expect }) => {
    expect(cleanChatText(text)).toBe(cleaned);
  });
});

function aComment(changes: Partial<Comment>): Comment {
  return {
    platform: "bilibili",
    id: "m1",
    text: "有黑色吗",
    viewer: { id: "v1", name: "小林", level: 12 },
    sentAtMs: null,
    ...changes,
  };
}
