import { describe, it } from "vitest";
import { readDateOrCode } from "../../../../shared/speech/spoken-dates.ts";

describe("readDateOrCode", () => {
  it.for([
    ["2025/01/01", "二零二五年一月一日"],
    ["12:00", "十二点"],
    ["12:05:09", "十二点零五分零九秒"],
    ["3:2", "三比二"],
    ["2/3", "三分之二"],
    ["138-1234-5678", "幺三八幺二三四五六七八"],
  ] as const)("%s → %s", ([text, spoken], { expect }) => {
    expect(readDateOrCode(text, 0)).toEqual({ spoken, end: text.length });
  });

  it.for(["39.9元", "2025/13/01", "618元", "618件", "6.18元", "50/20", "100年", "30后天"])(
    "leaves %s to the quantities",
    (text, { expect }) => {
      expect(readDateOrCode(text, 0)).toBeNull();
    },
  );
});
