import { describe, it } from "vitest";
import { contactDetails } from "../../../../../shared/agent/checks/contact-details.ts";
import { aMessage } from "../hooks/hook-inputs.ts";

const check = contactDetails();
const find = (text: string) => check(aMessage(text), text);

describe("contactDetails", () => {
  it.for([
    "/start 加V信",
    "加\u200b微❤信",
    "加我VX abc123",
    "加薇吧",
    "加v我",
    "家威信聊",
    "留个微信",
    "微信号多少",
    "微信：abc12345",
    "有微信群吗",
    "𝐕𝐗：abc",
    "加微信群领券",
    "qq 12345678",
    "扣扣号是多少",
    "138 1234 5678",
    "138-1234-5678",
    "138.1234.5678",
    "1-3-8-1-2-3-4-5-6-7-8",
    "１３８１２３４５６７８",
    "幺三八一二三四五六七八",
    "1️⃣3️⃣8️⃣1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣",
    "客服电话0595-23865596",
    "400-820-8820",
    "a.b@qq.com",
    "上www.abc.com",
    "https://t.cn/abc",
    "abc点com",
    "留下您的手机号",
  ])("finds %j", (text, { expect }) => {
    expect(find(text)).not.toBeNull();
  });

  it.for([
    "可以用微信支付吗",
    "微信扫码付款可以吗",
    "QQ糖一样弹",
    "加微波炉",
    "这件加V领",
    "加威化饼干",
    "威信很高",
    "卫星电视",
    "有问题私信客服",
    "vxl码有吗",
    "NO.1",
    "只要39.9元",
    "尺寸200*230cm，135cm×36cm×10cm",
    "1.5米+1.8米通用",
    "执行标准GB18401-2010 B类",
    "规格M 187.4*172.5*97.4mm",
    "1400/1600*820*750mm",
    "13.9、15.9、16.9、18.9元",
    "一二三四五",
    "三到五天发货",
    "订单尾号1234",
    "加绒加厚",
  ])("passes %j", (text, { expect }) => {
    expect(find(text)).toBeNull();
  });

  it("quotes the text as written and corrects by masking, sparing the rest", ({ expect }) => {
    expect(find("找我 138 1234 5678 或 a@b.com，谢谢")).toEqual({
      found: "138 1234 5678、a@b.com",
      corrected: "找我 [联系方式] 或 [联系方式]，谢谢",
    });
  });

  it("finds nothing in what it corrected", ({ expect }) => {
    expect(find(find("加我VX abc123聊")?.corrected ?? "加v")).toBeNull();
  });
});
