import { describe, it } from "vitest";
import { judgeReply } from "../../../harness-kv/judge-example.ts";

const judge = (
  reply: string,
  asks: { mustContain?: readonly string[]; mustNotContain?: readonly string[] },
  outcome = "answered",
) => judgeReply({ mustContain: [], mustNotContain: [], ...asks }, { reply, outcome });

describe("judgeReply", () => {
  it.for([
    ["现在359元。", { mustContain: ["359元"] }],
    ["现在 359 元", { mustContain: ["３５９元"] }],
    ["总价1077元", { mustNotContain: ["77", "107"] }],
    ["39.9元", { mustNotContain: ["39", "9元"] }],
    ["39元，不是139元", { mustContain: ["39"] }],
  ] as const)("passes %s for %j", ([reply, asks], { expect }) => {
    expect(judge(reply, asks)).toEqual([]);
  });

  it("names what is missing and what should not be there", ({ expect }) => {
    expect(judge("是全网最低价", { mustContain: ["359元", "券"], mustNotContain: ["最低"] })).toEqual([
      "does not say 「359元」",
      "does not say 「券」",
      "says 「最低」",
    ]);
  });

  it("fails a host that says nothing, or its fallback line", ({ expect }) => {
    expect(judge(" ", { mustNotContain: ["最低"] })).toEqual(["says nothing"]);
    expect(judge("没查到。", { mustNotContain: ["最低"] }, "fallback")).toEqual(["the turn ended as fallback"]);
  });
});
