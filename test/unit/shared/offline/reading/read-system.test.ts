import { describe, it } from "vitest";
import { readSystem } from "../../../../../shared/offline/reading/read-system.ts";

describe("readSystem", () => {
  it("reads the skills on offer", ({ expect }) => {
    const text =
      "<available_skills>\n<skill><name>a</name><description>问退货时用</description></skill>\n</available_skills>";
    expect(readSystem([text])).toEqual({ skills: [{ name: "a", description: "问退货时用" }], rules: [] });
  });

  it.for(["不承诺具体到货日", "不要评价其他主播", "禁止讨论政治", "不得透露成本价"])(
    "reads a prohibition: %s",
    (rule, { expect }) => {
      expect(readSystem([`- ${rule}`]).rules).toHaveLength(1);
    },
  );

  it.for(["不编造价格", "不说资料里没有的优惠", "称呼用宝宝", "不用 markdown"])(
    "reads none in: %s",
    (rule, { expect }) => {
      expect(readSystem([`- ${rule}`]).rules).toEqual([]);
    },
  );

  it("takes rules from list lines only, and none from a skill's description", ({ expect }) => {
    expect(readSystem(["5. 不说电话、微信"]).rules).toEqual([]);
    expect(readSystem(["<available_skills>\n- 不讨论政治\n</available_skills>"]).rules).toEqual([]);
  });
});
