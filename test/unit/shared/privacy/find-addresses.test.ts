import { describe, it } from "vitest";
import { findAddresses } from "../../../../shared/privacy/find-addresses.ts";
import { toPlainText } from "../../../../shared/privacy/plain-text.ts";

const find = (text: string) => findAddresses(toPlainText(text)).map(({ start, end }) => text.slice(start, end));

describe("findAddresses", () => {
  it.for([
    "中山路88号",
    "阳光小区3栋",
    "3栋2单元",
    "泰安市泰山区5号",
    "泰安市泰山区岱宗大街",
    "山东省泰安市泰山区王家村",
  ])("takes what leads to a door: %s", (text, { expect }) => {
    expect(find(`寄到${text}，谢谢`)).toEqual([text]);
  });

  it.for(["山东省泰安市泰山区", "中山路", "阳光小区", "3栋", "超市3号", "万达广场3楼", "这条路1号链接"])(
    "leaves a place without one: %s",
    (text, { expect }) => {
      expect(find(text)).toEqual([]);
    },
  );

  it("takes the flat that stands without its unit, and no price behind the house", ({ expect }) => {
    expect(find("阳光小区3栋501 谢谢")).toEqual(["阳光小区3栋501"]);
    expect(find("阳光小区3栋 199元")).toEqual(["阳光小区3栋"]);
  });
});
