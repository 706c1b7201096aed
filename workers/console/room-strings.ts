/** Texts about how a room takes in, orders and interrupts, which are part of the page's table of texts. */

export const roomZh = {
  stop: "停",
  stopTitle: "让 AI 主播停下（按 . 键）",
  actionStop: "没有停下",

  askers: (count: number) => `${count} 人在问`,
  unanswered: (count: number, reasons: string) => `${count} 条不回答：${reasons}`,
  unansweredTitle: "不回答的弹幕",
  expired: (count: number, reasons: string) => `${count} 个问题没等到回答：${reasons}`,
  expiredTitle: "没等到回答的问题",
  dropped: (reason: string) => `这条弹幕不会回答：${reason}`,
  dropReasons: {
    noise: "没有问题可答",
    advertising: "像广告",
    viewer_rate: "发得太快",
    repeated: "刚刚回答过",
    crowded: "排队已满",
  },

  priorityTitle: "为什么轮到它",
  priorityShort: (points: string, waiting: number) => `优先 ${points} 分 · ${waiting} 选 1`,
  priorityWhy: (points: string, waiting: number, waited: string) =>
    `等了 ${waited}。轮到它时有 ${waiting} 个回合在等，它的 ${points} 分最高。`,
  priorityAlone: (points: string, waited: string) => `等了 ${waited}。轮到它时只有它在等，共 ${points} 分。`,
  priorityParts: {
    buy: "想买",
    deal: "问价格或优惠",
    "on-screen": "问讲解中的商品",
    complaint: "投诉或售后",
    chat: "打招呼或闲聊",
    "viewer-level": "观众等级",
    askers: "多人在问",
    waited: "等待时间",
  },

  turnReasons: {
    ttl: "等太久，已过期",
    crowded: "排队已满，让给更要紧的",
    operator: "操作员叫停",
    "host-speech": "真人主播开口",
    "product-switch": "换了商品",
    priority: "更要紧的问题插队",
    config: "直播间配置变了",
    "room-change": "价格或库存变了",
    faq: "常见问题，直接作答",
    runner_lost: "执行器中断",
    deadline_exceeded: "超过时限",
    steps_exhausted: "步数用完",
  },
  interrupted: (at: string, cause: string, rest: string) => `${at} 被打断：${cause}，${rest}。`,
  interruptActs: { stop: "立即停声", finish: "说完这一句再停" },
  interruptHeard: (sentences: number, last: string) =>
    sentences === 0 ? "一句还没出声" : `听到 ${sentences} 句，最后一句播了 ${last}`,
  interruptResumes: "重新排队再答",
  interruptEnds: "不再接着答",
  legendInterrupt: "打断",
  unsaid: "没播出",

  strategyTitle: "场控建议",
  strategyStale: "上一个商品的建议",
  strategySummary: "近况",
  strategySources: { model: "模型", offline: "离线规则" },

  figureWaitingBase: (turns: number, messages: number) => `${turns} 个回合在等，共 ${messages} 条弹幕`,
};

export const roomEn: typeof roomZh = {
  stop: "Stop",
  stopTitle: "Stop the AI host (press .)",
  actionStop: "Nothing was stopped",

  askers: (count) => `${count} asking`,
  unanswered: (count, reasons) => `${count} not answered: ${reasons}`,
  unansweredTitle: "Messages that are not answered",
  expired: (count, reasons) => `${count} questions waited in vain: ${reasons}`,
  expiredTitle: "Questions that waited in vain",
  dropped: (reason) => `This message is not answered: ${reason}`,
  dropReasons: {
    noise: "it asks nothing",
    advertising: "it looks like advertising",
    viewer_rate: "too many came at once",
    repeated: "it was answered just now",
    crowded: "too many wait",
  },

  priorityTitle: "Why it was next",
  priorityShort: (points, waiting) => `priority ${points} · 1 of ${waiting}`,
  priorityWhy: (points, waiting, waited) =>
    `It waited ${waited}. ${waiting} turns waited then; its ${points} points were the most.`,
  priorityAlone: (points, waited) => `It waited ${waited}. No other turn waited then; it had ${points} points.`,
  priorityParts: {
    buy: "wants to buy",
    deal: "asks for a price or deal",
    "on-screen": "about the product on screen",
    complaint: "complaint or after-sale",
    chat: "greeting or chat",
    "viewer-level": "viewer's level",
    askers: "asked by several",
    waited: "waiting time",
  },

  turnReasons: {
    ttl: "waited too long",
    crowded: "too many waited, gave way",
    operator: "stopped by an operator",
    "host-speech": "a person began to speak",
    "product-switch": "another product came on screen",
    priority: "a more urgent question came",
    config: "the room's configuration changed",
    "room-change": "a price or stock changed",
    faq: "a known question",
    runner_lost: "the runner was lost",
    deadline_exceeded: "over its time limit",
    steps_exhausted: "out of steps",
  },
  interrupted: (at, cause, rest) => `Interrupted at ${at}: ${cause}; ${rest}.`,
  interruptActs: { stop: "silent at once", finish: "after its sentence" },
  interruptHeard: (sentences, last) =>
    sentences === 0 ? "nothing was heard" : `${sentences} sentences heard, ${last} of the last`,
  interruptResumes: "waits to answer again",
  interruptEnds: "not taken up again",
  legendInterrupt: "interrupted",
  unsaid: "not spoken",

  strategyTitle: "Advice",
  strategyStale: "Advice for the product before",
  strategySummary: "Summary",
  strategySources: { model: "model", offline: "offline rules" },

  figureWaitingBase: (turns, messages) => `${turns} turns wait, with ${messages} messages`,
};
