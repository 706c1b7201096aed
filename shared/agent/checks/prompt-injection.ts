/**
 * Orders addressed to the model: about its rules, its identity, its prompt, or what it must repeat; and forged markers of
 * chat templates and of the evidence fence. A question that only sounds near passes: 系统多大的床, 零头忽略不计.
 *
 * This check is the second wall. The first is that viewers' text stands in the prompt as fenced, escaped data.
 */
import type { HookCheck } from "../../contract/harness-bundle.ts";
import { findingOf, type CompiledCheck } from "./finding.ts";
import { foldText, foldWord, sourceSpan, type FoldedText } from "./fold-text.ts";

type PromptInjection = Extract<HookCheck, { type: "prompt-injection" }>;

const MANY = "(?:\\d{2,}|[几]?[十百千万]|[一二三四五六七八九两]{1,2}[十百千万]|无数|一直)";
const RULES = "(?:指令|命令|规则|设定|设置|提示词|提示|限制|约束|要求|人设|身份|说明书|prompt|规定|禁令|审核)";
const BEFORE =
  "(?:以上|之前|上面|前面|先前|上述|上文|此前|前述|所有|全部|一切|任何|你的|系统|原来|原本|刚才|内置|初始|平台|商家)";

/** On folded text: simplified, lower case, no spaces. Every repetition is bounded. */
const ORDERS: readonly RegExp[] = [
  new RegExp(
    `(?:忽略|无视|忘记|忘掉|忘了|抛开|跳过|清空|清除|覆盖|绕过|突破|解除|别管|不用管|不要管|不用遵守|不要遵守|不必遵守|违反|推翻|作废)(?:掉|了)?.{0,4}${BEFORE}.{0,6}${RULES}`,
    "u",
  ),
  new RegExp(
    `(?:忽略|无视|抛开|别管|不用管|忘掉|忘记)(?:掉|了)?(?:一切|所有|全部|任何|以上|之前|上面|前面|先前|上述|此前)(?:的)?(?:内容|话|一切|文字|信息|对话|东西|$|[,。!])`,
    "u",
  ),
  new RegExp(`${BEFORE}(?:的)?${RULES}.{0,4}(?:作废|失效|无效|取消|不算|忘掉|忽略|解除|清空)`, "u"),
  /(?:开发者|开发人员|调试|管理员|越狱|上帝|无限制|不受限|超级用户|root|dan|debug|god|sudo|developer|admin)模式(?!.{0,2}(?:怎么|如何|在哪|能开|可以开))/u,
  /(?:进入|切换|启动|打开|开启|激活|启用|切到).{0,4}(?:开发者|调试|测试|管理员|越狱|自由|无限制|维护|工程|后台|上帝|自检|系统)(?:人员)?模式/u,
  /developermode|jailbreak|jailbroken|doanythingnow|越狱(?:提示|指令|模式|成功|吧|了)|(?:进入|变成|成为|你是|youare)dan(?![a-z])/u,
  /(?:你|主播)(?:现在|从现在(?:开始|起)?|以后|接下来|之后|今后)(?:开始)?(?:就)?(?:是|当|变成|改当|改叫)(?:一)?(?:个|只|名|位|台|款)?(?!在|不是|哪|什么|谁|真|直播|几|吗|没有|只有|卖|做|全|自动|多少|怎么|还|要|有|不|最|这|那|包邮|打折|活动|可以|的)/u,
  /从现在(?:开始|起)(?:,)?(?:你|请你|主播)(?:就)?(?:是|只|必须|要|不再|不许|不能|扮演|都|叫|当|将|会|用|得)/u,
  /(?:请|你|来|帮我|给我|要|现在|主播)(?:你|来|帮我|给我)?扮演(?!过|的)|角色扮演|roleplay|假装(?:你|自己)(?:是|不是)|假设你(?:是|没有)|(?:你|主播)(?:的)?(?:新)?(?:身份|角色|人设|设定)(?:是|变成|改成|改为|为|:)/u,
  /你(?:是|就是|当|变成|变身|化身)(?:一)?(?:个|只|名|位)?(?:猫娘|猫咪|女仆|奴隶|黑客|没有限制|不受(?:任何)?(?:限制|约束)|无限制|dan|gpt|系统管理员|开发者|我的(?:猫|狗|奴|女仆|女友|老婆|男友))/u,
  /猫娘|(?:学|扮|装)(?:一|两)?(?:声|下|个|只)?(?:猫|狗|羊|牛|猪|鸡)叫|(?:喵|汪|咩|哞)(?:地|的)?(?:叫)?(?:\d+|[一二三四五六七八九十百千万几两]+)(?:声|遍|下|次)|喵一?下给/u,
  new RegExp(
    `(?:说|念|喊|叫|读|重复|复读|复述|播报|输出|唱)(?:一下|上|个|够|满|它|这句话?|下面(?:的|这)?(?:话|句)?|我的话)?.{0,10}${MANY}(?:遍|声|次)`,
    "u",
  ),
  /(?:跟(?:着)?我|照(?:着)?我|一字不(?:差|漏)(?:地|的)?|原封不动(?:地|的)?|逐字(?:地)?|原样)(?:说|念|读|喊|重复|复述|输出|播|复制)|(?:复读|复述|重复)(?:一遍|一下|以下|下面|我说|我的|上面|以上|你的)(?!.{0,4}(?:下单|购买|扣款|价格|尺码|发货))/u,
  /(?:系统|初始|内部|隐藏|完整|全部|原始|你的|底层|后台|前置)(?:的)?(?:提示词|提示语|提示信息|系统提示|prompt|指令内容)|systemprompt|(?:提示词|prompt)(?:是什么(?!书|意思|牌)|是啥|发|给|告诉|说|念|输出|打印|内容|全文|原文|公开|泄露|复述|贴|交出)|(?:输出|打印|显示|告诉|泄露|复述|透露|说出|念出|念|交出|公开|展示|把|重复|看看|翻译|总结).{0,6}(?:提示词|systemprompt|prompt|系统指令|系统设定|系统消息|你的(?:指令|设定|规则|人设|配置|源码|密钥|代码))/u,
  /^[[(【「]?(?:系统|系统消息|系统提示|系统通知|系统指令|管理员|管理员指令|平台通知|官方通知|官方指令|最高指令|system|systemmessage|assistant|developer|admin|root|助手|user|human|instruction|指令)(?:\d?):/u,
  /[,。!?;\n](?:系统|系统消息|系统提示|系统通知|系统指令|管理员|平台通知|官方通知|最高指令|system|assistant|developer)(?:消息|通知|指令|提示)?:/u,
  /(?:给|把|对|请)?(?:这条|本条|这个|该|此条|我的|这次)(?:回复|回答|评论|答案|对话|弹幕)?.{0,4}(?:打|评|判|给)(?:个|为|成)?(?:满分|高分|最高分|一百分|100分)|(?:评委|评分员|裁判|judge|grader|evaluator).{0,8}(?:满分|通过|pass|高分)/u,
  /ignore.{0,16}(?:previous|above|prior|earlier|all|your|the|system).{0,16}(?:instruction|rule|prompt|direction|message|guideline)|disregard.{0,20}(?:instruction|rule|prompt|above|previous|guideline)|forget(?:about)?(?:all|everything|your|previous|the).{0,16}(?:instruction|rule|prompt|above|said|told)|override(?:your|the|all|system).{0,12}(?:instruction|rule|prompt|safety)|newinstructions?:/u,
  /youarenow(?:a|an|in|the|my|dan|free)|(?:pretend|act)(?:tobe|asif|asa|asan|likea|asmy)|(?:reveal|print|show|repeat|output|tell|leak|give).{0,12}(?:system|your|initial|hidden)(?:prompt|instruction|message|rule)/u,
  /(?:所有|全部|全场|全店|立刻|马上|现在|直接)(?:的)?(?:优惠券|商品|价格|宝贝|库存|链接|东西|产品|单价|售价)?(?:统统|全部|都|全)?(?:改|设|调|变|降)(?:成|为|到|置为)(?:0|零|一分|1分|一元|1元|免费)/u,
  /(?:必须|一律|只能|只准|只许|统一|全部|都)(?:用|以|按)?.{0,4}(?:回答|回复|说|答)(?:["'“”「『:]|成)|(?:每句话?|每次|所有回答|所有回复|回答|回复|开头|结尾)(?:的)?(?:后面|前面|最后|结尾|开头|末尾)?(?:都)?(?:要|必须|得|请|给我)?(?:加上|加一?个|带上|带|加)(?:["'“「『]|一?个?(?:喵|汪|主人|字))/u,
  /(?:以|用|按)(?:管理员|开发者|系统|超级管理员|老板|商家|平台|运营|工程师|debug|root|admin)(?:的)?(?:身份|权限|名义|模式)(?:命令|要求|通知|运行|执行|登录|授权|告诉|让|说|下令|进入|操作)|我是(?:你的)?(?:开发者|开发人员|管理员|工程师|主人|创造者|训练师|系统|程序员)(?:,|。|!|$|我|现在|命令|要求|让|请)/u,
  /(?:停止|结束|关闭|关掉|中断)(?:本场|这场|当前)?(?:直播|程序|系统|服务|播报)(?:$|!|。|,|吧|命令|指令)|(?:执行|运行|调用)(?:以下|下面|如下|这段|这个|一下)?(?:的)?(?:命令|代码|脚本|指令|函数|工具|sql)/u,
];

/** On the text in NFKC and lower case without spaces and invisible characters: folding would drop the signs. */
const MARKERS: readonly RegExp[] = [
  /<\|.{0,24}\|>|<\/?(?:evidence|system|user|assistant|tool|tools|tool_call|tool_response|think|thinking|instructions?|prompt|skill|skill_content|available_skills|im_start|im_end|s)(?:[a-z]{1,10}=[^>]{0,40})?\/?>/u,
  /\{\{.{0,40}\}\}|\{%.{0,40}%\}|\{#.{0,40}#\}|\$\{.{0,40}\}/u,
  /\[\/?inst\]|\[\/?(?:system|sys)\]|<<\/?sys>>|_<isend>|###(?:system|instruction|assistant|user|系统|指令|human|response)|begin(?:system|prompt)|```/u,
];

const UNSEEN = /[\s\p{Cf}\p{M}]/gu;
const CLAUSE_ENDS = /(?<=[，,。！!？?；;\n])/u;

/** The check for viewers' messages, products' texts and tools' answers. Corrects by leaving out the clauses that give orders. */
export function promptInjection(options: Pick<PromptInjection, "phrases">): CompiledCheck {
  const phrases = options.phrases.map(foldWord).filter((phrase) => phrase !== "");
  return (_input, subject) => {
    const found = findOrder(foldText(subject), phrases);
    return found === null ? null : findingOf(found, withoutOrders(subject, phrases));
  };
}

/** What in a text is an order to the model, as written; `null` for text that is none. */
export function findInjection(text: string): string | null {
  return findOrder(foldText(text), []);
}

function findOrder(folded: FoldedText, phrases: readonly string[]): string | null {
  for (const order of ORDERS) {
    const match = order.exec(folded.text);
    if (match !== null) return written(folded, match.index, match[0].length);
  }
  for (const phrase of phrases) {
    const at = folded.text.indexOf(phrase);
    if (at !== -1) return written(folded, at, phrase.length);
  }
  const visible = folded.source.normalize("NFKC").replace(UNSEEN, "").toLowerCase();
  return MARKERS.map((marker) => marker.exec(visible)?.[0]).find((marker) => marker !== undefined) ?? null;
}

function written(folded: FoldedText, start: number, length: number): string {
  const span = sourceSpan(folded, { start, end: start + length });
  return folded.source.slice(span.start, span.end);
}

/** `undefined` when nothing is left, or when what is left is an order only as a whole. */
function withoutOrders(subject: string, phrases: readonly string[]): string | undefined {
  const kept = subject.split(CLAUSE_ENDS).filter((clause) => findOrder(foldText(clause), phrases) === null);
  const rest = kept.join("").trim();
  return /[\p{L}\p{N}]/u.test(rest) && findOrder(foldText(rest), phrases) === null ? rest : undefined;
}
