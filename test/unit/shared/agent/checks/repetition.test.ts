import { describe, it } from "vitest";
import { repetition } from "../../../../../shared/agent/checks/repetition.ts";
import { aReply, aSentence } from "../hooks/hook-inputs.ts";

const check = repetition({ timesMax: 3 });
const find = (text: string, said: string[] = []) => check(aSentence(text, { said }), text);

describe("repetition", () => {
  it.for([
    "喵喵喵喵喵喵喵喵",
    "喵，喵，喵，喵",
    "买它买它买它买它",
    "好的呀好的呀好的呀好的呀",
    "快拍。快拍。快拍。快拍。",
  ])("finds what is said over and over in %j", (text, { expect }) => {
    expect(find(text)).not.toBeNull();
  });

  it.for(["哈哈哈哈哈", "买它买它买它", "10000000元", "8888.8888", "一件一件慢慢看", "快拍，快拍，快拍", "111111"])(
    "passes %j",
    (text, { expect }) => {
      expect(find(text)).toBeNull();
    },
  );

  it("lets a single letter stand two times more often than a phrase", ({ expect }) => {
    expect(find("喵".repeat(5))).toBeNull();
    expect(find("喵".repeat(6))).not.toBeNull();
  });

  it("finds a whole sentence that was said in this turn, whatever its marks", ({ expect }) => {
    expect(find("这款是 纯棉的！", ["这款是纯棉的。"])?.found).toBe("这款是纯棉的。");
    expect(find("这款不是纯棉的。", ["这款是纯棉的。"])).toBeNull();
  });

  it("lets a short one come again", ({ expect }) => {
    expect(find("好的呀。", ["好的呀。"])).toBeNull();
  });

  it("reads a whole reply as well", ({ expect }) => {
    const reply = "喜欢就拍。喜欢就拍。喜欢就拍。喜欢就拍。";
    expect(check(aReply(reply), reply)).not.toBeNull();
  });

  it("has its limit from the options", ({ expect }) => {
    expect(repetition({ timesMax: 1 })(aSentence(""), "快拍快拍")).not.toBeNull();
  });
});
