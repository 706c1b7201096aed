import { describe, it } from "vitest";
import { continueReply } from "../../../../shared/offline/continue-reply.ts";

const last = { admissions: ["这个没查到。", "没有准信。"], closings: ["以页面为准。"] };

describe("continueReply", () => {
  it("says everything when nothing was said or refused", ({ expect }) => {
    expect(continueReply(["一。", "二。"], [], [], last)).toEqual(["一。", "二。"]);
  });

  it("goes on after what was heard, whole or in pieces", ({ expect }) => {
    const lines = ["这款现在39.9元。", "还有3件库存。"];
    expect(continueReply(lines, ["这款现在39.9元。"], [], last)).toEqual(["还有3件库存。"]);
    expect(continueReply(lines, ["这款现在39.9元。还有3件库存。"], [], last)).toEqual(["以页面为准。"]);
  });

  it("keeps the clauses that the reason does not touch", ({ expect }) => {
    const blocked = [{ text: "这款有货，现在还有40只。", reason: "资料里没有「40」这个数" }];
    expect(continueReply(["这款有货，现在还有40只。"], [], blocked, last)).toEqual(["这款有货。"]);
  });

  it("drops the sentence whole where the reason points at nothing in it", ({ expect }) => {
    const blocked = [{ text: "这款有货，现在还有40只。", reason: "换个说法" }];
    expect(continueReply(["这款有货，现在还有40只。"], [], blocked, last)).toEqual(["这个没查到。"]);
  });

  it("does not take another price for the refused one", ({ expect }) => {
    const blocked = [{ text: "2号链接的枕头现在899元。", reason: "「899」" }];
    expect(continueReply(["8号链接的枕头现在399元。"], [], blocked, last)).toEqual(["8号链接的枕头现在399元。"]);
  });

  it("tries the next admission when one was refused, and ends silent when all were", ({ expect }) => {
    const first = { text: "这个没查到。", reason: "" };
    expect(continueReply([], [], [first], last)).toEqual(["没有准信。"]);
    expect(continueReply([], [], [first, { text: "没有准信。", reason: "" }], last)).toEqual([]);
  });
});
