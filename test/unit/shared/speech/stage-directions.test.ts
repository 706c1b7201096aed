import { describe, it } from "vitest";
import { isStageDirection } from "../../../../shared/speech/stage-directions.ts";

describe("isStageDirection", () => {
  it.for([
    "微笑",
    "笑",
    "开心",
    "动作",
    "开心地笑",
    "微微一笑",
    "笑着说",
    "拿起产品展示",
    "停顿2秒",
    "对着镜头微笑",
    "动作：挥手",
    "兴奋的语气",
    "smiles",
    "Laughing",
    "happy",
  ])("%s is for the performer", (content, { expect }) => {
    expect(isStageDirection(content)).toBe(true);
  });

  it.for([
    "",
    "红色",
    "30天内",
    "新品",
    "展示款",
    "开心果味",
    "热情红",
    "产品",
    "一",
    "大家",
    "含笑牌",
    "S",
    "red",
    "happy mom",
    "微笑".repeat(9),
  ])("%s is a fact", (content, { expect }) => {
    expect(isStageDirection(content)).toBe(false);
  });
});
