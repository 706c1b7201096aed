/** Pseudonyms of viewers: by rule, and in all that a room tells of a message that came through the edge. */
import { describe, it } from "vitest";
import { hideViewers } from "../../../workers/edge/hide-viewers.ts";
import { call, collectEvents, openRoom } from "../api.ts";

const secretOf = (text: string) => new TextEncoder().encode(text);
const SECRET = secretOf("0123456789abcdef0123456789abcdef");
const pseudonym = async (id: string, secret = SECRET) => {
  const [message] = await hideViewers([{ id: "m1", text: "多少钱", viewer: { id } }], secret);
  return message?.viewer?.id;
};

/** From Node's `hkdfSync` and `createHmac`, so that no release makes strangers of the viewers in records. */
const KNOWN = [
  ["douyin:9f8a7", "v_VnKnjgGJu2xj3DO8sUoqxg"],
  ["v1", "v_-pWknRAcDf4Q2M29Xf9k9Q"],
] as const;

describe("hideViewers", () => {
  it.for(KNOWN)("gives %j the pseudonym that it has always had", async ([id, expected], { expect }) => {
    expect(await pseudonym(id)).toBe(expected);
  });

  it("gives the same viewer the same pseudonym, another viewer or secret another one", async ({ expect }) => {
    const other = secretOf("another secret of another installation");
    const all = [await pseudonym("a"), await pseudonym("b"), await pseudonym("a", other), await pseudonym("A")];
    expect(new Set(all).size).toBe(4);
    expect(await pseudonym("a", secretOf("0123456789abcdef0123456789abcdef"))).toBe(all[0]);
  });

  it("has the form of an id, and nothing of the id that it hides", async ({ expect }) => {
    expect(await pseudonym("13800138000")).toMatch(/^v_[\w-]{22}$/);
  });

  it("leaves all else of a message, and messages of nobody, as they are", async ({ expect }) => {
    const messages = [
      { id: "m1", text: "包邮吗", viewer: { id: "v1", name: "小李", level: 7 }, ttlMs: 5_000 },
      { id: "m2", text: "有货吗" },
    ];
    const [first, second] = await hideViewers(messages, SECRET);
    expect(first).toEqual({ ...messages[0], viewer: { ...messages[0]?.viewer, id: await pseudonym("v1") } });
    expect(second).toEqual(messages[1]);
  });
});

describe("a posted message", () => {
  const ask = (room: string) =>
    call(`/v1/rooms/${room}/messages`, {
      method: "POST",
      headers: { accept: "text/event-stream" },
      body: { id: "q1", text: "1号链接多少钱", viewer: { id: "platform-user-77", name: "小李" } },
    });

  it("is in its turn's record under the pseudonym, and under the same in another room", async ({ expect }) => {
    const seen: unknown[] = [];
    for (const room of ["hides-one", "hides-two"]) {
      await openRoom(room);
      const events = await collectEvents(await ask(room));
      const turn = String(events.at(-1)?.data["turn"]);
      const record = await call(`/v1/rooms/${room}/turns/${turn}`);
      const text = await record.text();
      expect(text).not.toContain("platform-user-77");
      seen.push((JSON.parse(text) as { messages: { viewer: unknown }[] }).messages[0]?.viewer);
    }
    expect(seen[0]).toEqual({ id: expect.stringMatching(/^v_[\w-]{22}$/) as unknown, name: "小李" });
    expect(seen[1]).toEqual(seen[0]);
  });
});
