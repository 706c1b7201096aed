/**
 * Ways to take a viewer off the platform: phone numbers, WeChat and QQ, e-mail, links; plain, spelt out or disguised.
 * What only names such a thing passes: 微信支付, QQ弹, 私信客服, 电话客服.
 */
import { digitValueOf } from "../../core/chinese-digits.ts";
import { findingOf, type CompiledCheck, type Finding } from "./finding.ts";
import { foldText, sourceSpan, type Span } from "./fold-text.ts";

/** What stands for a contact in the corrected text: seen, and spoken without harm. */
const MASK = "[联系方式]";

const WECHAT = "(?:微信|威信|薇信|维信|卫星|围信|徽信|葳信|v信|weixin|wechat|绿泡泡|绿色软件)";
const QQ = "(?:qq|扣扣|叩叩|企鹅)";
/** The name of an account follows: letters, digits, five or more. */
const ACCOUNT = "(?:号码|号|账号|id)?(?:是|为|[:,])?[a-z][a-z0-9]{4,19}";

/** On folded text: no spaces, no signs, lower case, simplified. */
const FOLDED: readonly RegExp[] = [
  // Never said for anything else.
  /v信|薇信|葳信|徽信|绿泡泡|weixinhao|扫码(?:加|进)(?:我|群|好友|v|微)|加(?:个)?好友私聊|扣扣(?:号|群)|q群|qq群/gu,
  /(?<![a-z])[vw]x(?![a-z]{1,2}(?![a-z0-9]))(?:号|账号|id)?:?[a-z0-9]{0,20}/gu,
  // 加我微信, 留个微信, 发微信给我, 微信号, 微信:abc123.
  new RegExp(
    `(?:加|家|佳|嘉|➕|留|发|给|要|换|有|问|搜|你的|您的|我的|主播的|老板的?)(?:我|你|您|个|一个|一下|下|主播|老板|客服|的|们|个人|商家|私人|他|她|它){0,3}${WECHAT}(?!支付|付款|付钱|扫码付|红包|小程序|转账|能付|可以付|零钱)`,
    "gu",
  ),
  new RegExp(`${WECHAT}(?:号|群|联系|联络|聊|详聊|沟通|私聊|多少|是多少|同号|加我|找我|上说|上聊|发我|发给我)`, "gu"),
  new RegExp(`${WECHAT}${ACCOUNT}`, "gu"),
  /加(?:我|你|您|个|一下|下|主播|老板|客服){0,2}(?:v|薇|微|威|徽|葳)(?=$|[,!?;:、。…\n]|\d|[a-z]{3,}|我|你|吧|聊|哦|啊|呀|哈|私|联|详|号|了|进|领(?:券|取|福利|优惠|资料|红包))/gu,
  /(?:进|加|拉|来)(?:我|我们|你|您|个|一下|下){0,2}(?:微信群|粉丝微信|私域|v群|微群|薇群)/gu,
  // QQ with a number, or asked for. QQ弹, QQ糖 are no contact.
  new RegExp(`${QQ}(?:号码|号|群)?(?:是|为|[:,])?\\d{5,11}`, "gu"),
  new RegExp(`(?:加|留|发|给|要)(?:我|你|您|个|一下|下|主播|老板|客服|的){0,2}${QQ}(?!弹|糖|软|滑|肠|的)`, "gu"),
  new RegExp(`${QQ}(?:号|群)(?:多少|是多少|发我|给我)`, "gu"),
  /(?:留|发|给|要|报)(?:我|你|您|个|一下|下|主播|老板|的){0,3}(?:手机号|电话号码|联系方式|电话号)|(?:打|拨)(?:我|这个|以下){1,2}(?:手机|电话)/gu,
];

/** On the text as it is seen, without spaces: addresses need their points and signs. */
const VISIBLE: readonly RegExp[] = [
  /[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.[a-z]{2,10}/gu,
  /https?:\/\/[^\s一-鿿]{3,}|www[.。][a-z0-9-]{2,}/gu,
  /(?<![a-z0-9])[a-z0-9-]{2,63}(?:[.。]|点)(?:com|cn|net|org|top|xyz|shop|vip|cc|site|club|link|info|app|store|online|live)(?![a-z0-9])/gu,
];

/** Signs that people put between the digits of a number that they hide. No `*` or `/`: those make sizes. */
const GAP = "[-.·_|,、。]{0,2}";

/** On the visible text with all digits in Arabic. */
const NUMBERS: readonly RegExp[] = [
  new RegExp(`(?<![\\d.])1${GAP}[3-9](?:${GAP}\\d){9}(?!\\d|\\.\\d)`, "gu"),
  /(?<!\d)0\d{2,3}-?\d{7,8}(?!\d)/gu,
  /(?<!\d)[48]00-?\d{3}-?\d{4}(?!\d)/gu,
];

/** A number is said digit by digit or in groups of three and more; 13.9、15.9、16.9 are prices. */
function isGrouped(number: string): boolean {
  const lengths = number.split(/\D+/).map((group) => group.length);
  return lengths.every((length) => length >= 3) || lengths.every((length) => length === 1);
}

/** Corrects by putting {@link MASK} in the place of each contact. */
export function contactDetails(): CompiledCheck {
  return (_input, subject) => findContact(subject);
}

function findContact(subject: string): Finding | null {
  const folded = foldText(subject);
  const spans = matchesOf(FOLDED, folded.text).map((span) => sourceSpan(folded, span));
  const visible = toVisible(subject);
  const toSource = ({ start, end }: Span): Span => ({
    start: visible.at[start] ?? 0,
    end: (visible.at[end - 1] ?? 0) + 1,
  });
  const numbers = matchesOf(NUMBERS, visible.digits).filter(({ start, end }) =>
    isGrouped(visible.digits.slice(start, end)),
  );
  spans.push(...[...matchesOf(VISIBLE, visible.text), ...numbers].map(toSource));
  if (spans.length === 0) return null;
  const merged = merge(spans);
  return findingOf(merged.map(({ start, end }) => subject.slice(start, end)).join("、"), mask(subject, merged));
}

function matchesOf(patterns: readonly RegExp[], text: string): Span[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length })),
  );
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const before = merged.at(-1);
    if (before !== undefined && span.start <= before.end) {
      merged[merged.length - 1] = { start: before.start, end: Math.max(before.end, span.end) };
    } else merged.push(span);
  }
  return merged;
}

function mask(text: string, spans: readonly Span[]): string {
  let result = "";
  let from = 0;
  for (const { start, end } of spans) {
    result += text.slice(from, start) + MASK;
    from = end;
  }
  return result + text.slice(from);
}

type VisibleText = {
  readonly text: string;
  /** `text` with every digit in Arabic. Same length. */
  readonly digits: string;
  /** Place in the source of each code unit. */
  readonly at: readonly number[];
};

const UNSEEN = /[\s\p{Cf}\p{M}]/u;

/** NFKC and lower case of each unit, without what is not seen. A unit that grows (㎏) keeps its place for each part. */
function toVisible(source: string): VisibleText {
  let text = "";
  let digitText = "";
  const at: number[] = [];
  for (let index = 0; index < source.length; index += 1) {
    const unit = source.charAt(index);
    const seen = unit.charCodeAt(0) < 0x7f ? unit.toLowerCase() : unit.normalize("NFKC").toLowerCase();
    for (const part of seen) {
      if (UNSEEN.test(part)) continue;
      text += part;
      digitText += (digitValueOf(part) ?? part).toString();
      at.push(index);
    }
  }
  return { text, digits: digitText, at };
}
