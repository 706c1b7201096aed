import { describe, it } from "vitest";
import { findProhibition, type Topic } from "../../../../../shared/offline/reading/follow-rules.ts";
import { readSystem } from "../../../../../shared/offline/reading/read-system.ts";

const rulesOf = (...lines: string[]) => readSystem([lines.map((line) => `- ${line}`).join("\n")]).rules;

describe("findProhibition", () => {
  it.for<[string, string, Topic[], boolean]>([
    ["不承诺具体到货日", "明天能到吗", ["arrival"], true],
    ["不承诺具体到货日", "什么时候发货", [], false],
    ["不与他店比价", "比别家便宜吗", ["other-shop"], true],
    ["禁止讨论明星代言", "明星代言的是谁", [], true],
    ["禁止讨论明星代言", "这个多少钱", ["price"], false],
    ["不编造价格", "这个价格多少", ["price"], false],
    ["不报具体库存数", "还有多少件", ["stock-count"], true],
  ])("holds %s against %s", ([rule, question, topics, forbidden], { expect }) => {
    expect(findProhibition(question, topics, rulesOf(rule)) !== null).toBe(forbidden);
  });

  it("gives the rule's own line", ({ expect }) => {
    const rules = rulesOf("不要讨论代言人，只说「咱们只聊商品」");
    expect(findProhibition("代言人是谁", [], rules)?.rule.line).toBe("咱们只聊商品");
  });
});
