/** A request as the turn runner sends it, over a small made-up room. Tests name only what they are about. */
import { evidenceBlock, type EvidenceSource } from "../../../../shared/agent/evidence.ts";
import { toCouponFact, toProductFact } from "../../../../shared/agent/facts/product-fact.ts";
import { couponSchema, productSchema, type Product } from "../../../../shared/contract/room-config.ts";
import { chatRequestSchema, type ChatRequest } from "../../../../shared/offline/reading/chat-request.ts";
import { offlineChat, type OfflineReply } from "../../../../shared/offline/decide.ts";
import { readRequest, type KnownWorld } from "../../../../shared/offline/reading/read-request.ts";

export const QUILT = productSchema.parse({
  id: "quilt",
  link: 1,
  name: "新疆长绒棉四件套",
  brief: "春秋款，裸睡不扎",
  unit: "套",
  listPriceCents: 39_900,
  specNames: ["颜色", "尺寸"],
  skus: [
    { id: "q1", specs: ["雾霾蓝", "1.5米床"], priceCents: 29_900, stock: 12 },
    { id: "q2", specs: ["雾霾蓝", "1.8米床"], priceCents: 32_900, stock: 0 },
    { id: "q3", specs: ["燕麦色", "1.5米床"], priceCents: 29_900, stock: 7 },
  ],
  attributes: [
    { name: "材质", value: "100%棉" },
    { name: "产地", value: "江苏南通" },
    { name: "执行标准", value: "GB/T 22844-2009" },
    { name: "尺寸", value: "1.5米床：被套200*230cm\n1.8米床：被套220*240cm" },
    { name: "温馨提示", value: "1.深浅色分开洗。\n2.可机洗，水温不超过30度。" },
  ],
  promotions: ["拍下送同款抱枕套一只"],
});

export const PILLOW = productSchema.parse({
  id: "pillow",
  link: 2,
  name: "泰国乳胶护颈枕",
  aliases: ["乳胶枕"],
  unit: "只",
  specNames: ["规格"],
  skus: [{ id: "p1", specs: ["标准"], priceCents: 15_950, stock: 40 }],
  attributes: [
    { name: "填充物", value: "93%天然乳胶" },
    { name: "尺寸", value: "60*40cm" },
  ],
});

export const BLANKET = productSchema.parse({
  id: "blanket",
  link: 3,
  name: "澳洲羊毛盖毯",
  unit: "条",
  specNames: ["规格"],
  skus: [{ id: "b1", specs: ["标准"], priceCents: 49_900, stock: 3 }],
  attributes: [{ name: "材质", value: "100%羊毛" }],
});

export const THROW = productSchema.parse({
  id: "throw",
  link: 4,
  name: "法兰绒盖毯",
  unit: "条",
  specNames: ["规格"],
  skus: [{ id: "t1", specs: ["标准"], priceCents: 5_900, stock: 0 }],
});

export const FAQ = [
  { question: "多久发货？", similar: ["什么时候发"], answer: "现货付款后48小时内发出。" },
  { question: "运费怎么收？", answer: "满88元包邮，不满88元收10元运费。" },
  { question: "怎么退货？", answer: "签收后30天内可以无忧退货。" },
];

const COUPONS = [
  couponSchema.parse({ id: "c1", name: "满减券", minCents: 9_900, offCents: 1_000 }),
  couponSchema.parse({ id: "c2", name: "新人券", minCents: 0, offCents: 500, condition: "新用户领取" }),
];

type Message = Record<string, unknown>;

export type RequestParts = {
  readonly questions: readonly (string | { viewer?: string; text: string; askers?: number })[];
  readonly products: readonly Product[];
  readonly onScreen: Product | null;
  /** Facts of the turn; those of the product on screen when left out. */
  readonly facts: readonly unknown[];
  readonly faq: readonly unknown[];
  readonly coupons: readonly unknown[];
  readonly notes: readonly string[];
  readonly heard: readonly string[];
  readonly changes: readonly unknown[];
  readonly rules: readonly string[];
  readonly skills: readonly { name: string; description: string }[];
  readonly tools: readonly unknown[];
  /** Messages after the first two. */
  readonly after: readonly Message[];
  readonly stream: boolean;
};

const DEFAULTS: Omit<RequestParts, "facts" | "tools"> = {
  questions: ["这个多少钱"],
  products: [QUILT, PILLOW, BLANKET, THROW],
  onScreen: QUILT,
  faq: FAQ,
  coupons: COUPONS.map(toCouponFact),
  notes: [],
  heard: [],
  changes: [],
  rules: [],
  skills: [],
  after: [],
  stream: false,
};

/** A request about the quilt on screen, in a room of four products. */
export function aBody(parts: Partial<RequestParts> = {}): Record<string, unknown> {
  const room = { ...DEFAULTS, ...parts };
  return {
    model: "offline-policy",
    stream: room.stream,
    messages: [{ role: "system", content: systemText(room) }, { role: "user", content: userText(room) }, ...room.after],
    ...(room.tools !== undefined && { tools: room.tools }),
  };
}

type Room = typeof DEFAULTS & Partial<RequestParts>;

function userText(room: Room): string {
  const { onScreen } = room;
  const toFact = (product: Product) => toProductFact(product, {});
  const shown = onScreen === null ? null : { link: onScreen.link, id: onScreen.id, name: onScreen.name };
  const blocks: [EvidenceSource, readonly unknown[]][] = [
    ["shop", [{ title: "家居专场", merchant: "云朵家居" }]],
    ["catalogue", room.products.map(toFact)],
    ["faq", room.faq],
    ["coupons", room.coupons],
    ["state", [{ onScreen: shown }]],
    ["changes", room.changes],
    ["heard", room.heard.map((text) => ({ speaker: "host", text }))],
    ["facts", room.facts ?? (onScreen === null ? [] : [toFact(onScreen)])],
    ["knowledge", room.notes.map((text) => ({ text }))],
    ["messages", room.questions.map((each) => (typeof each === "string" ? { text: each } : each))],
  ];
  const texts = blocks.map(([source, records]) => evidenceBlock(source, records)).filter((text) => text !== "");
  return [...texts, "现在开口回答 messages 里的弹幕。"].join("\n\n");
}

function systemText({ skills, rules }: Room): string {
  const offers = skills.map(
    ({ name, description }) => `<skill><name>${name}</name><description>${description}</description></skill>`,
  );
  return [
    "你是主播小开，内部代号夜莺。价格照抄资料。",
    `<available_skills>\n${offers.join("\n")}\n</available_skills>`,
    `# 商家的要求\n${rules.map((rule) => `- ${rule}`).join("\n")}`,
  ].join("\n\n");
}

export function aRequest(parts: Partial<RequestParts> = {}): ChatRequest {
  return chatRequestSchema.parse(aBody(parts));
}

export function aWorld(parts: Partial<RequestParts> = {}): KnownWorld {
  return readRequest(aRequest(parts));
}

/** The whole reply as one text; tool calls as `name{arguments}`. */
export function replyTo(question: string, parts: Partial<RequestParts> = {}): string {
  return toText(offlineChat(aRequest({ ...parts, questions: parts.questions ?? [question] })));
}

function toText(reply: OfflineReply): string {
  return reply.kind === "text"
    ? reply.sentences.join("")
    : reply.calls.map((call) => `${call.name}${call.argumentsText}`).join(" ");
}

/** A tool as an OpenAI request offers it. */
export function aTool(name: string, properties: Record<string, unknown> = {}): unknown {
  const parameters = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
  return { type: "function", function: { name, description: name, parameters } };
}

/** The messages of one tool round. */
export function aToolRound(name: string, result: unknown, id = "call_1"): Message[] {
  return [
    { role: "assistant", content: "", tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }] },
    { role: "tool", tool_call_id: id, content: evidenceBlock(`tool:${name}`, [result]) },
  ];
}
