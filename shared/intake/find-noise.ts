/** Messages that ask nothing. In doubt a message is none of them: a question that is dropped is never answered. */
import { digitValueOf } from "../core/chinese-digits.ts";
import type { DropReason } from "../contract/intake-policy.ts";
import { spellMessage } from "./spell-message.ts";

/** Digits that are a cheer or a farewell by their sound. Link numbers (1, 12, 108) are none, nor 111: a host asks for 1, 2 or 3. */
const DIGIT_WORDS = /^(?:([04-9])\1{2,}|23{2,}|52[01]|(?:520)?1314|886)$/u;

const LAUGHS = /[哈呵嘻嘿]{2,}|h{2,}|(?<![a-z])(?:xswl|lol|lmao)(?![a-z])/gu;

/** Sounds. 吗 and 呢 are not here: they ask. */
const SOUNDS_ONLY = /^(?:哇塞|[啊哦喔哇嗯额呃唉哎噢嗷呜呀啦哈呵嘻嘿吼哼咯])+$/u;

/** One word, three times and more. */
const ONE_AGAIN = /^(\D{1,3}?)\1{2,}$/u;

/** Said again and again, these cheer or agree. Everything else still wants something: 买买买, 链接链接链接, 听不见听不见听不见. */
const CHEERS =
  /^(?:[棒牛赞顶爱美帅强酷绝哭笑嘤啧略嘟哒咚喵汪妙香嗨6对是好行冲来]|好好看|好[看美听帅棒香酷笑]|来[了啦]|加油|厉害|支持|漂亮|可爱|爱[你了]|谢谢?|真棒|太[棒美牛]|(?!x?[sml]$|q$)[a-z]{1,3})$/u;

const WECHAT = "微信|威信|薇信|维信|卫星|围信|徽信|葳信|[vw]信|weixin|wechat|绿泡泡|(?<![a-z])[vw]x";
const QQ = "(?<![a-z])qq|扣扣|叩叩|抠抠|球球|企鹅";
/** A viewer who asks for it, or says that it is not done: an answer is due. */
const ASKED = "(?<!怎么|能|可以|如何|想|(?<!需)要|不|别|没|有|用|让|拉我)";
/** Asked of those who sell, it is a wish for help. */
const NOT_STAFF = "(?<!客服|主播|老板|卖家|店家|你们?)";

/** On a spelt message without spaces: a way to someone else, with the name or number of an account. */
const ACCOUNTS: readonly RegExp[] = [
  new RegExp(
    `(?:${WECHAT}|${QQ}|加[我个]?[v微薇威徽葳])(?:号码?|账号|id|群|是|同号|我|联系|找|搜|私|聊){0,4}[a-z0-9]{5,20}`,
    "u",
  ),
  /(?:(?<![a-z])q群?|[茄裙]群)\d{6,11}(?!\d)/u,
  // With trouble beside it, it is a buyer's own number.
  /^(?!.{0,40}(?:怎么|为什么|没[收到发]|退款|快递|尾号))[^]*?(?<![\d.])1[3-9]\d{9}(?![\d.])/u,
  /(?:私聊|私信|联系|找|加)我?\d{5,}/u,
];

/** On a spelt message without spaces: come to me. */
const INVITATIONS: readonly RegExp[] = [
  new RegExp(
    `${NOT_STAFF}${ASKED}[加家佳嘉](?:我|个|一个|一下|下|本人){0,2}(?:${WECHAT}|${QQ}|好友|群)(?!支付|付|弹|糖)`,
    "u",
  ),
  new RegExp(`${ASKED}[加家]我?[v薇微葳徽](?=$|聊|私|领(?:券|取|福利|优惠|红包|资料)|进群)`, "u"),
  new RegExp(`${ASKED}[进拉入]我?(?:微信|粉丝|福利|内部|qq)?群(?:领|看|有|更|优惠|抢|$)`, "u"),
  new RegExp(`${ASKED}扫码[加进领]`, "u"),
  new RegExp(`${NOT_STAFF}${ASKED}(?:私聊?|私信|滴滴|(?<![a-z])dd)我(?!一?下?(?:链接|价|多少|地址|单号|图))`, "u"),
  /(?:需要|懂|想要|要|感兴趣)的?(?:来|就)?(?:滴滴|(?<![a-z])dd)$|(?:需要|想要|便宜)的?(?:宝|友|朋友|姐妹)?加我$/u,
  /(?:关注|来|进|去|看|点|戳)(?:一下|下)?我(?:的|们|家|这){0,2}(?:直播间|主页|橱窗|小店|店|头像|账号|空间)/u,
  /我(?:的|们)?主页(?:更|有|领|同款|低价|便宜)|^主页(?:有联系|进群|加)|我(?:家|店|这里?|这边)(?:更|也|才|只要|只卖).{0,6}(?:来|点我|找我)/u,
  /(?:福利|内部|优惠|领券)群.{0,2}[进加]$/u,
  // Not 关注我: viewers ask the host for it.
  /求关注|互[粉关]|回[粉关]|招(?:代理|兼职)|手工活外发|日[入结赚]\d+/u,
];

/** On the lower-case text: addresses need their signs, and so do accounts after a single letter or 微. */
const ADDRESSES: readonly RegExp[] = [
  /[+➕][v薇微威徽葳] ?[:：]?[a-z0-9]{5,20}|(?<![a-z0-9])[v薇微威]\ufe0f?[:：❤♥💚🧡💛💙💜]\ufe0f?[a-z0-9]{6,20}/u,
  /(?<![a-z0-9])t\.me\/|https?:\/\/|(?<![a-z0-9])www\./u,
  /(?<![a-z0-9-])(?=[a-z0-9-]{0,62}[a-z])[a-z0-9-]{2,63}(?:[.。]|点)(?:com|cn|net|org|top|xyz|shop|site|club)(?![a-z0-9])/u,
  /[a-z0-9]@[a-z0-9-]{1,63}\.[a-z]{2}/u,
];

/** After an invitation, or at its end: it was asked for. */
const ASKS_AFTER = /[吗么嘛]|怎么|如何|什么|多少|哪|[不没]$/u;

/** Nothing but the wish to be let in. */
const WISH_ONLY = /^(?:我?要|我?想)?[加进]群$/u;

/** Digits that are spelt out to hide a number. */
const SPELT_NUMBER = /[\d零〇○幺一二两三四五六七八九壹贰叁肆伍陆柒捌玖]{7,}/gu;

/**
 * Why a message asks nothing: pictures, signs, laughs, one thing again and again ("noise"), or contact details and
 * invitations elsewhere ("advertising"). `null` for everything that may be a question, a wish or a claim of a link: 1, 1号,
 * S码, 想要, XL. A bare "？" is noise: nobody can answer it, and the question that it presses waits. A viewer who asks for the
 * host's WeChat asks. Narrower than the check of what a host says (`contact-details`).
 */
export function findNoise(text: string): Extract<DropReason, "noise" | "advertising"> | null {
  const plain = spellMessage(text).replaceAll(" ", "");
  if (isAdvertising(text, plain)) return "advertising";
  return isNothing(plain) ? "noise" : null;
}

function isNothing(plain: string): boolean {
  const said = plain.replaceAll(LAUGHS, "");
  if (said === "" || DIGIT_WORDS.test(said) || SOUNDS_ONLY.test(said)) return true;
  const [, again] = ONE_AGAIN.exec(said) ?? [];
  return again !== undefined && CHEERS.test(again);
}

function isAdvertising(text: string, plain: string): boolean {
  const visible = text.normalize("NFKC").toLowerCase();
  if (ADDRESSES.some((address) => address.test(visible))) return true;
  const digits = plain.replaceAll(SPELT_NUMBER, (number) =>
    Array.from(number, (char) => digitValueOf(char) ?? char).join(""),
  );
  if (ACCOUNTS.some((account) => account.test(digits))) return true;
  return (
    !/[?？]\s*$/u.test(text) && !WISH_ONLY.test(plain) && INVITATIONS.some((invitation) => isOffered(plain, invitation))
  );
}

function isOffered(plain: string, invitation: RegExp): boolean {
  const at = plain.search(invitation);
  return at !== -1 && !ASKS_AFTER.test(plain.slice(at));
}
