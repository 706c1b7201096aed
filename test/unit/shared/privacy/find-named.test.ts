import { describe, it } from "vitest";
import { findAccounts, findEmails, findOrders } from "../../../../shared/privacy/find-named.ts";
import { toPlainText } from "../../../../shared/privacy/plain-text.ts";

const textsOf = (find: typeof findEmails, text: string) =>
  find(toPlainText(text)).map(({ start, end }) => text.slice(start, end));

describe("findEmails", () => {
  it("takes the whole address and nothing behind it", ({ expect }) => {
    expect(textsOf(findEmails, "发a.b+c@mail.qq.com，谢谢")).toEqual(["a.b+c@mail.qq.com"]);
    expect(textsOf(findEmails, "399@一套 @小李")).toEqual([]);
  });
});

describe("findOrders", () => {
  it("takes the number without its word, with its further groups", ({ expect }) => {
    expect(textsOf(findOrders, "订单号：1234 5678 9012 到哪了")).toEqual(["1234 5678 9012"]);
    expect(textsOf(findOrders, "order no 123456 is late")).toEqual(["123456"]);
  });

  it("asks for six digits, ten of a carrier, and eight after 订单 alone", ({ expect }) => {
    const texts = ["单号12345", "SF123456789", "订单1234567", "单号123456", "SF1234567890", "订单12345678"];
    expect(texts.map((text) => textsOf(findOrders, text).length)).toEqual([0, 0, 0, 1, 1, 1]);
  });
});

describe("findAccounts", () => {
  it("takes letters alone only where the words say that an account follows", ({ expect }) => {
    expect(
      ["wechat payment", "wechat: lilyshop", "微信号lilyshop"].flatMap((text) => textsOf(findAccounts, text)),
    ).toEqual(["lilyshop", "lilyshop"]);
  });

  it("leaves a phone to the numbers", ({ expect }) => {
    expect(textsOf(findAccounts, "微信13812345678")).toEqual([]);
  });
});
