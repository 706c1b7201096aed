import { describe, it } from "vitest";
import { promiseWithoutAction } from "../../../../../shared/agent/checks/promise-without-action.ts";
import { aMessage, aReply, aSentence } from "../hooks/hook-inputs.ts";

const check = promiseWithoutAction({
  promises: { 帮您登记了: ["hand_over_to_human"], 优惠券发您了: ["send_coupon", "hand_over_to_human"] },
});
const find = (text: string, toolsUsed: string[] = []) => check(aSentence(text, { tools_used: toolsUsed }), text);

describe("promiseWithoutAction", () => {
  it("finds a promise whose tool has not succeeded", ({ expect }) => {
    expect(find("好，帮 您登記了哈")?.found).toBe("帮 您登記了");
    expect(find("帮您登记了", ["get_price"])?.found).toBe("帮您登记了");
  });

  it("passes once one of its tools has", ({ expect }) => {
    expect(find("帮您登记了", ["hand_over_to_human"])).toBeNull();
    expect(find("优惠券发您了", ["hand_over_to_human"])).toBeNull();
  });

  it("finds the promise whose tool is missing beside one that is kept", ({ expect }) => {
    expect(find("帮您登记了，优惠券发您了", ["send_coupon"])?.found).toBe("帮您登记了");
  });

  it.for(["还没帮您登记了", "不能帮您登记了", "没法再帮您登记了"])(
    "passes what says it is not done: %j",
    (text, { expect }) => {
      expect(find(text)).toBeNull();
    },
  );

  it("finds a promise after one that is denied", ({ expect }) => {
    expect(find("刚才没帮您登记了，现在帮您登记了")).not.toBeNull();
  });

  it("reads whole replies, and finds nothing on events without tools", ({ expect }) => {
    expect(check(aReply("帮您登记了"), "帮您登记了")).not.toBeNull();
    expect(check(aMessage("帮您登记了"), "帮您登记了")).toBeNull();
  });
});
