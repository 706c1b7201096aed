/** Every text of the page, in Chinese and English. English has the type of the Chinese table: a missing key does not compile. */

import { endpointsEn, endpointsZh } from "./endpoint-strings.ts";
import { roomEn, roomZh } from "./room-strings.ts";

export type Locale = "zh-CN" | "en";

const zh = {
  brand: "开播",
  skipToAsk: "跳到提问框",
  openRooms: "换直播间",
  roomsTitle: "选择直播间",
  roomsNone: "还没有直播间。用 PUT /v1/rooms/{room} 或命令行建一个，再回到这里。",
  roomsMore: "更多直播间",
  roomsClose: "关闭",
  roomUpdated: (time: string) => `更新于 ${time}`,
  harnessTitle: "正在使用的 Harness 版本",
  loading: "正在读取…",

  gateTitle: "需要访问令牌",
  gateWhy: "这个页面用令牌访问直播间。启动命令会打印一个带令牌的链接，打开它就能直接进来。",
  gateKept: "令牌只存在这个标签页里，关掉标签页就没有了，也不会留在地址栏。",
  gateLabel: "令牌或带令牌的链接",
  gateOpen: "进入",
  gateBad: "这不像令牌。令牌是用两个点隔开的三段字符；也可以把整个链接粘贴进来。",
  signOut: "换令牌",

  connecting: "正在连接",
  connected: "已连接",
  reconnecting: (seconds: number) => `${seconds} 秒后重连`,
  offline: "没有网络",
  refused: "连接被拒绝",
  disconnected: "未连接",
  retryNow: "立即重连",
  missed: (count: number) => `有 ${count} 条记录直播间已不再保留，这里没有显示。`,

  voiceOn: "朗读：开",
  voiceOff: "朗读：关",
  voiceTitle: "用浏览器的声音朗读主播的话",
  voiceNone: "这个浏览器没有中文语音，无法朗读。请在系统设置里安装中文语音包。",
  themeAuto: "跟随系统",
  themeLight: "浅色",
  themeDark: "深色",
  themeTitle: (theme: string) => `配色：${theme}`,
  localeTitle: "Switch to English",
  localeOther: "EN",

  stageTitle: "字幕",
  onAir: "播报中",
  thinking: "准备中",
  standby: "待命",
  stageEmpty: "还没有人说话。在下面提一个问题，主播会当着整个直播间回答。",
  answering: (name: string, question: string, askers: number) =>
    `答 ${name}${askers > 1 ? `等 ${askers} 人` : ""}：${question}`,
  someone: "观众",
  kindFiller: "垫场",
  kindFallback: "兜底",
  kindSpeech: (speaker: string) => (speaker === "host" ? "真人主播" : speaker),

  figuresTitle: "关键指标",
  figureP50: "首句 p50",
  figureP95: "首句 p95",
  figureWaiting: "排队",
  figureOldest: "最久等待",
  figureBase: (count: number) => `最近 ${count} 个有回答的回合，从收到问题到说出第一句`,

  askLabel: "以观众身份提问",
  askPlaceholder: "问点什么…",
  speechPlaceholder: "真人主播说了什么…",
  askSend: "发送",
  askAs: "身份",
  askAsViewer: "观众",
  askAsHost: "主播",
  askSamples: "试试这些问题",
  askHint: "/ 提问 · Enter 发送 · Esc 离开",
  viewerName: (number: number) => `观众${number}`,

  tabsTitle: "面板",
  messagesTitle: "弹幕",
  messagesEmpty: "还没有弹幕。",
  messagesLatest: "回到最新",
  openTurn: "查看这一回合",

  phaseWaiting: "排队",
  phaseThinking: "准备",
  phaseSpeaking: "回答中",
  phaseAnswered: "已回答",
  phaseFallback: "兜底",
  phaseExpired: "已过期",
  phaseSilent: "未作声",
  phaseInterrupted: "已打断",
  phasePast: "较早",

  turnsTitle: "回合",
  turnsEmpty: "每回答一个问题，这里就多一条时间线。",
  turnsScale: (length: string) => `刻度 0 – ${length}`,
  turnAttempt: (attempt: number) => `第 ${attempt} 次`,
  turnUnknown: "更早的问题",
  legendWaiting: "等待",
  legendThinking: "思考",
  legendSpeaking: "播报",
  legendTool: "工具",
  legendHook: "钩子",
  legendStep: (index: string) => `模型第 ${index} 步`,
  summaryFirst: "首句",
  summaryTotal: "共",
  guessedPlace: "位置为估计，展开看准确时间",
  barLabel: (parts: string) => `时间线：${parts}`,

  detailLoading: "正在读取这一回合的记录…",
  detailOpen: "这一回合还没结束，结束后可以看到完整记录。",
  detailNoTrace: "没有执行器活到最后：直播间自己结束了这一回合，所以没有步骤记录。",
  detailFacts: "概况",
  detailOutcome: "结果",
  detailReason: "原因",
  detailHarness: "Harness",
  detailModel: "模型",
  detailRevision: "配置版本",
  detailAttempt: "尝试",
  detailHookRuns: "钩子运行次数",
  detailTimes: "时间",
  detailSaid: "说出的话",
  detailMessages: "收到的弹幕",
  detailSteps: "模型步骤",
  detailHooks: "钩子裁决",
  detailHooksNone: "没有钩子改动或拦下任何内容。",
  detailTurnPrompt: "本回合提示词",
  detailArguments: "参数",
  detailOutput: "结果",
  detailFirstDelta: (time: string) => `首字 ${time}`,
  detailTokens: (input: number, output: number, cached: string) =>
    `输入 ${input} · 缓存 ${cached} · 输出 ${output} 词元`,
  detailEstimated: "（估算）",
  detailSubject: "对象",
  detailReload: "重新读取",

  ...endpointsZh,
  ...roomZh,

  outcomeTool: { "tool-result": "成功", "tool-denied": "被拒绝", "tool-error": "失败" },
  verdicts: { deny: "拦下", rewrite: "改写", context: "补充", answer: "代答", failed: "出错" },

  productsTitle: "商品",
  productsSearch: "搜商品名、品牌或链接号",
  productsEmpty: "这个直播间还没有商品。",
  productsNoMatch: (query: string) => `没有符合“${query}”的商品。`,
  productLink: (link: number) => `${link}号链接`,
  productStock: (stock: number, unit: string) => `库存 ${stock} ${unit}`,
  productSoldOut: "已售罄",
  productListPrice: (price: string) => `原价 ${price}`,
  productOnScreen: "讲解中",
  productShow: "上屏",
  productHide: "下屏",
  productShowLabel: (name: string) => `把 ${name} 放上屏幕`,
  productHideLabel: (name: string) => `把 ${name} 从屏幕撤下`,

  listComma: "，",
  dismiss: "知道了",
  tryAgain: "再试一次",
  actionLoadRooms: "读不到直播间列表",
  actionLoadRoom: "读不到这个直播间",
  actionSend: "问题没有发出去",
  actionSpeech: "主播的话没有发出去",
  actionScreen: "屏幕没有切换",
  actionLoadTurn: "读不到这一回合的记录",
  actionFollow: "不能跟随这个直播间",
  failures: {
    network: { why: "连不上服务器", next: "检查网络和服务是否在运行，然后再试一次" },
    timed_out: { why: "服务器太久没有回答", next: "稍等片刻再试一次" },
    not_an_answer: { why: "回答不是这个接口该有的样子", next: "确认地址指向 Kaibo 服务，而不是别的网站" },
    unauthenticated: { why: "令牌无效", next: "换一个令牌，或用启动命令打印的新链接打开" },
    token_expired: { why: "令牌过期了", next: "重新签发一个令牌，再粘贴进来" },
    forbidden: { why: "这个令牌没有这项权限", next: "用有权限的令牌，或请直播间的负责人来操作" },
    room_not_found: { why: "没有这个直播间", next: "从列表里选一个直播间" },
    invalid_request: { why: "内容不符合要求", next: "改一改内容再发；一条最多 300 字" },
    turn_not_found: { why: "记录已经清理，或还没写入", next: "过几秒再试；太早的记录请查日志" },
    product_not_found: { why: "直播间里没有这个商品", next: "刷新页面，重新读取商品" },
    nothing_spoken: { why: "现在没有回答可停", next: "等主播开始回答再按" },
    internal: { why: "服务器出了意外", next: "再试一次；若还是这样，把时间告诉值班的人" },
    other: { why: "服务器拒绝了这次请求", next: "按它给出的说明修改后再试" },
  },
  failureText: (what: string, why: string, next: string) => `${what}：${why}。${next}。`,
  failureWhy: (why: string, title: string) => `${why}（${title}）`,
};

/** The table of one language. */
export type Strings = typeof zh;

const en: Strings = {
  brand: "Kaibo",
  skipToAsk: "Skip to the question box",
  openRooms: "Change room",
  roomsTitle: "Choose a room",
  roomsNone: "There is no room yet. Create one with PUT /v1/rooms/{room} or the command line, then come back.",
  roomsMore: "More rooms",
  roomsClose: "Close",
  roomUpdated: (time) => `updated ${time}`,
  harnessTitle: "Harness version in use",
  loading: "Loading…",

  gateTitle: "An access token is needed",
  gateWhy:
    "This page reads rooms with a token. The start command prints a link that carries one: open it and you are in.",
  gateKept: "The token stays in this tab only. Closing the tab forgets it, and it never stays in the address bar.",
  gateLabel: "Token, or a link that carries one",
  gateOpen: "Enter",
  gateBad: "This does not look like a token. A token is three parts joined by dots; pasting the whole link works too.",
  signOut: "Change token",

  connecting: "Connecting",
  connected: "Connected",
  reconnecting: (seconds) => `Reconnecting in ${seconds} s`,
  offline: "Offline",
  refused: "Refused",
  disconnected: "Not connected",
  retryNow: "Reconnect now",
  missed: (count) => `${count} records are no longer kept by the room and are not shown here.`,

  voiceOn: "Voice: on",
  voiceOff: "Voice: off",
  voiceTitle: "Read the host's words aloud with the browser's voice",
  voiceNone: "This browser has no Chinese voice, so it cannot read aloud. Install one in your system settings.",
  themeAuto: "system",
  themeLight: "light",
  themeDark: "dark",
  themeTitle: (theme) => `Colours: ${theme}`,
  localeTitle: "切换到中文",
  localeOther: "中",

  stageTitle: "Subtitles",
  onAir: "On air",
  thinking: "Preparing",
  standby: "Standby",
  stageEmpty: "Nobody has spoken yet. Ask something below: the host answers to the whole room.",
  answering: (name, question, askers) => `To ${name}${askers > 1 ? ` and ${askers - 1} more` : ""}: ${question}`,
  someone: "a viewer",
  kindFiller: "filler",
  kindFallback: "fallback",
  kindSpeech: (speaker) => (speaker === "host" ? "human host" : speaker),

  figuresTitle: "Headline figures",
  figureP50: "1st sentence p50",
  figureP95: "1st sentence p95",
  figureWaiting: "waiting",
  figureOldest: "oldest",
  figureBase: (count) => `Last ${count} turns with an answer, from the question's arrival to the first spoken sentence`,

  askLabel: "Ask as a viewer",
  askPlaceholder: "Ask something…",
  speechPlaceholder: "What the human host said…",
  askSend: "Send",
  askAs: "Speak as",
  askAsViewer: "Viewer",
  askAsHost: "Host",
  askSamples: "Questions to try",
  askHint: "/ ask · Enter send · Esc leave",
  viewerName: (number) => `Viewer ${number}`,

  tabsTitle: "Panels",
  messagesTitle: "Chat",
  messagesEmpty: "No messages yet.",
  messagesLatest: "To the latest",
  openTurn: "Show this turn",

  phaseWaiting: "waiting",
  phaseThinking: "preparing",
  phaseSpeaking: "answering",
  phaseAnswered: "answered",
  phaseFallback: "fallback",
  phaseExpired: "expired",
  phaseSilent: "silent",
  phaseInterrupted: "interrupted",
  phasePast: "earlier",

  turnsTitle: "Turns",
  turnsEmpty: "Every answered question adds a timeline here.",
  turnsScale: (length) => `scale 0 – ${length}`,
  turnAttempt: (attempt) => `attempt ${attempt}`,
  turnUnknown: "An earlier question",
  legendWaiting: "waiting",
  legendThinking: "thinking",
  legendSpeaking: "speaking",
  legendTool: "tool",
  legendHook: "hook",
  legendStep: (index) => `model step ${index}`,
  summaryFirst: "first sentence",
  summaryTotal: "total",
  guessedPlace: "place estimated, open for the exact time",
  barLabel: (parts) => `Timeline: ${parts}`,

  detailLoading: "Reading this turn's record…",
  detailOpen: "This turn has not ended. Its full record can be read once it has.",
  detailNoTrace: "No runner lived to tell: the room closed this turn itself, so there is no record of steps.",
  detailFacts: "Facts",
  detailOutcome: "Outcome",
  detailReason: "Reason",
  detailHarness: "Harness",
  detailModel: "Model",
  detailRevision: "Configuration",
  detailAttempt: "Attempt",
  detailHookRuns: "Hooks run",
  detailTimes: "Times",
  detailSaid: "What was said",
  detailMessages: "Messages",
  detailSteps: "Model steps",
  detailHooks: "Hook verdicts",
  detailHooksNone: "No hook changed or stopped anything.",
  detailTurnPrompt: "Prompt of this turn",
  detailArguments: "Arguments",
  detailOutput: "Output",
  detailFirstDelta: (time) => `first delta ${time}`,
  detailTokens: (input, output, cached) => `${input} tokens in · ${cached} cached · ${output} out`,
  detailEstimated: " (estimated)",
  detailSubject: "Subject",
  detailReload: "Read again",

  ...endpointsEn,
  ...roomEn,

  outcomeTool: { "tool-result": "ok", "tool-denied": "denied", "tool-error": "failed" },
  verdicts: { deny: "denied", rewrite: "rewritten", context: "context added", answer: "answered", failed: "failed" },

  productsTitle: "Products",
  productsSearch: "Search name, brand or link",
  productsEmpty: "This room has no products yet.",
  productsNoMatch: (query) => `No product matches “${query}”.`,
  productLink: (link) => `Link ${link}`,
  productStock: (stock) => `${stock} in stock`,
  productSoldOut: "Sold out",
  productListPrice: (price) => `was ${price}`,
  productOnScreen: "on screen",
  productShow: "Show",
  productHide: "Hide",
  productShowLabel: (name) => `Put ${name} on screen`,
  productHideLabel: (name) => `Take ${name} off screen`,

  listComma: ", ",
  dismiss: "Dismiss",
  tryAgain: "Try again",
  actionLoadRooms: "The rooms could not be read",
  actionLoadRoom: "This room could not be read",
  actionSend: "The question was not sent",
  actionSpeech: "The host's words were not sent",
  actionScreen: "The screen did not change",
  actionLoadTurn: "This turn's record could not be read",
  actionFollow: "This room cannot be followed",
  failures: {
    network: {
      why: "the server cannot be reached",
      next: "Check the network and that the service runs, then try again",
    },
    timed_out: { why: "the server took too long to answer", next: "Wait a moment and try again" },
    not_an_answer: {
      why: "the answer is not one of this API",
      next: "Check that the address points at a Kaibo service",
    },
    unauthenticated: {
      why: "the token is not valid",
      next: "Use another token, or the link that the start command prints",
    },
    token_expired: { why: "the token has expired", next: "Issue a new token and paste it here" },
    forbidden: { why: "this token may not do that", next: "Use a token that may, or ask the room's owner" },
    room_not_found: { why: "there is no such room", next: "Choose one from the list" },
    invalid_request: { why: "the text is not accepted", next: "Change it and send again; at most 300 characters" },
    turn_not_found: {
      why: "the record was cleared or is not written yet",
      next: "Try in a few seconds; for old ones, look in the log",
    },
    product_not_found: {
      why: "the room does not sell this product",
      next: "Reload the page to read the products again",
    },
    nothing_spoken: { why: "no answer is being spoken", next: "Press it once the host answers" },
    internal: {
      why: "the server failed unexpectedly",
      next: "Try again; if it stays, tell whoever is on duty the time",
    },
    other: { why: "the server refused", next: "Follow what it says, then try again" },
  },
  failureText: (what, why, next) => `${what}: ${why}. ${next}.`,
  failureWhy: (why, title) => `${why} (${title})`,
};

const TABLES: Readonly<Record<Locale, Strings>> = { "zh-CN": zh, en };

/** Keys whose value is plain text: those that the HTML may name. */
export type TextKey = { [Key in keyof Strings]: Strings[Key] extends string ? Key : never }[keyof Strings];

/** The table of a language. */
export function stringsFor(locale: Locale): Strings {
  return TABLES[locale];
}

/** True for a key whose value is plain text. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(zh, key) && typeof Object.entries(zh).find(([name]) => name === key)?.[1] === "string";
}

/** A word of a protocol in the reader's words; one that the page does not know stays as it is. */
export function wordFor(words: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(words, word) ? (words[word] ?? word) : word;
}

/** The language to begin with: the one chosen before, else Chinese for readers of Chinese, else English. */
export function chooseLocale(chosen: string | null, browserLanguages: readonly string[]): Locale {
  if (chosen === "zh-CN" || chosen === "en") return chosen;
  return /^zh\b/i.test(browserLanguages[0] ?? "zh") ? "zh-CN" : "en";
}

/** A failure as one sentence: what did not work, why, and what to do about it. */
export function describeFailure(
  strings: Strings,
  what: string,
  failure: { readonly code: string; readonly title: string },
): string {
  const { failures } = strings;
  const isKnown = (code: string): code is keyof typeof failures => Object.hasOwn(failures, code);
  const { why, next } = isKnown(failure.code) ? failures[failure.code] : failures.other;
  const isTold = failure.title !== "" && (failure.code === "invalid_request" || !isKnown(failure.code));
  return strings.failureText(what, isTold ? strings.failureWhy(why, failure.title) : why, next);
}
