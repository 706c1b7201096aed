/** Tells orders to the model from questions of a viewer. What it finds is left out, never obeyed, never echoed. */
import { normaliseForMatch } from "../../core/text.ts";

/** Written without spaces and in lower case, as `normaliseForMatch` leaves a text. */
const ORDERS: readonly RegExp[] = [
  /(忽略|无视|忘记|忘掉|抛开|跳过|不用管|别管|清除|覆盖).{0,8}(指令|规则|设定|设置|提示|要求|限制|约束|身份|上文|上面|以上|之前|前面)/u,
  /(系统|初始|内部|隐藏|完整)?(提示词|系统提示|系统消息|系统指令|systemprompt|prompt)/u,
  /(开发者|调试|管理员|上帝|越狱|无限制|测试|root|dan|debug|god)模式|developermode|jailbreak|越狱/u,
  /扮演|(你(现在)?(是|当)(一只|一个|只|个)?|变成|化身)(猫|狗|女仆|猫娘|奴隶|黑客|dan|gpt|开发者|管理员|系统|老板|客服机器人|不受)/u,
  /猫娘|喵.{0,4}[一二两三四五六七八九十百千\d]+(声|遍|次)|(学|叫).{0,2}(猫|狗)叫/u,
  /(重复|复读|循环|连续|照着)(地)?(念|说|读|喊|输出|播报)|跟我(念|读|喊)|重复我(的话|说的)|照我说的|(念|说|喊|读|重复).{0,12}[一二两三四五六七八九十百千\d]+(遍|声)/u,
  /^[【[「(（]?(系统|管理员|system|admin|assistant|developer|平台通知|官方通知|user|系统通知|系统消息)[】\]」)）]?[:：]/u,
  /(系统|管理员|system|assistant)[】\]]?[:：].{2,}/u,
  /[【[](系统|管理员|system|admin|官方|平台)(通知|消息|指令)?[】\]]/u,
  /ignore.{0,12}(previous|above|prior|all).{0,12}(instruction|rule|prompt)?|disregard|newinstructions?|youarenow|actas|pretendto/u,
  /(把|将|设|让).{0,12}(价格|优惠券|券|库存|折扣|运费).{0,6}(改|设|调|变)(成|为|到)|(价格|优惠券|库存).{0,4}(改|设|调|变)(成|为|到)\d/u,
  /(输出|打印|显示|告诉|泄露|复述|透露|发|念).{0,8}(指令|设定|密钥|密码|token|apikey|源码|原文)|你的(规则|设定|指令|提示|要求)/u,
  /<\/?(evidence|system|tool|think|skill)|<\|.{0,20}\|>|\[inst\]|_<isend>|```/u,
  /给(这条|本条|我).{0,6}(回复)?打(满分|高分|\d+分)/u,
  /(必须|一律|以后|从现在).{0,10}(回答|回复|只说|只能说).{0,3}[「“"'：:]/u,
];

/** True when the text addresses the model: mode words, forged markers, orders about its rules, prices or speech. */
export function isInjection(text: string): boolean {
  const plain = normaliseForMatch(text);
  return ORDERS.some((order) => order.test(plain));
}

/** The text's clauses without those that give orders; `null` when none gives any. */
export function withoutOrders(text: string): string | null {
  if (!isInjection(text)) return null;
  const clauses = text.split(/[，,。！!？?；;\n]+/u);
  const kept = clauses.filter((clause) => !isInjection(clause));
  const rest = kept.join("，").trim();
  return isInjection(rest) ? "" : rest;
}
