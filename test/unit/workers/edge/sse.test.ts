import { describe, it } from "vitest";
import { encodeEvent } from "../../../../workers/edge/sse.ts";

describe("encodeEvent", () => {
  it("names the event and its number, and ends with an empty line", ({ expect }) => {
    expect(encodeEvent("sentence", 7, '{"seq":7}')).toBe('id: 7\nevent: sentence\ndata: {"seq":7}\n\n');
  });

  it("leaves out the number of what is no place to resume from", ({ expect }) => {
    expect(encodeEvent("hello", null, "{}")).toBe("event: hello\ndata: {}\n\n");
  });

  it.for(["a\nb", "a\rb", "a\r\nb"])("keeps %j in one event", (data, { expect }) => {
    expect(encodeEvent("x", 1, data)).toBe("id: 1\nevent: x\ndata: a\ndata: b\n\n");
  });
});
