/**
 * Finds what a sentence says of prices, stock and the screen that held when its answer was begun and holds no more.
 *
 * Where it is not clear of which product or specification a sentence speaks, it is taken to speak of the changed one: a
 * true sentence that is blocked is made again, a wrong price is believed. A sentence without such a claim always stands.
 */
import { extractNumbers, type FoundNumber } from "../checks/extract-numbers.ts";
import { PIECE } from "../checks/number-units.ts";
import { toYuan } from "./product-fact.ts";
import type { RoomChange, SkuChange, SkuFacts } from "./room-change.ts";
import { splitByProduct, toPlainSentence, type Clause, type NamedProduct } from "./split-by-product.ts";

/** The claim as the sentence makes it, and what holds now, in words for people and the model. */
export type StaleClaim = {
  readonly kind: "price" | "stock" | "on-screen";
  readonly claim: string;
  readonly now: string;
};

/** Why a sentence is no longer true; `null` when it stands. */
export function findStaleClaim(text: string, change: RoomChange): StaleClaim | null {
  const products = productsOf(change);
  const clauses = splitByProduct(text, products.all, makesClaim);
  const heldCoupons = TELLS_COUPON.test(toPlainSentence(text)) ? change.coupons : [];
  const allQuantities = clauses.flatMap((clause) => quantitiesIn(clause.text));
  const named = new Map<string, readonly SkuChange[]>();
  for (const clause of clauses) {
    const quantities = TOTAL.test(clause.text) ? allQuantities : quantitiesIn(clause.text);
    for (const [id, all] of products.changed) {
      if (clause.subjects !== null && !clause.subjects.has(id)) continue;
      // 蓝色的，39.9元: a specification stays in talk until another one is named, or its product anew.
      const skus = spokenOf(clause, all) ?? (clause.isAnew ? all : (named.get(id) ?? all));
      named.set(id, skus);
      const stale =
        stalePrice(clause.text, { skus, quantities, coupons: change.coupons, heldCoupons }) ??
        staleStock(clause.text, { named: skus, all, isNamed: isNamed(clause, skus, all) });
      if (stale !== null) return stale;
    }
  }
  return staleScreen(text, change);
}

function isNamed({ subjects }: Clause, skus: readonly SkuChange[], all: readonly SkuChange[]): boolean {
  return skus.length < all.length || (subjects !== null && all.length === 1);
}

type Products = { readonly all: readonly NamedProduct[]; readonly changed: ReadonlyMap<string, readonly SkuChange[]> };
const productsOfChanges = new WeakMap<RoomChange, Products>();

/** Grouped once per change: a room may sell 300 products, and each sentence of an answer asks. */
function productsOf(change: RoomChange): Products {
  const known = productsOfChanges.get(change);
  if (known !== undefined) return known;
  const changed = new Map<string, SkuChange[]>();
  for (const sku of change.skus) changed.set(sku.productId, [...(changed.get(sku.productId) ?? []), sku]);
  const named = [...changed].map(([id, [sku]]) => ({ id, link: sku?.link ?? 0, names: sku?.productNames ?? [] }));
  const products = { all: [...named, ...change.others.map((other) => ({ id: null, ...other }))], changed };
  productsOfChanges.set(change, products);
  return products;
}

function makesClaim(text: string): boolean {
  return (
    [AVAILABLE, SOLD_OUT, SOME_LEFT, NONE_LEFT].some((said) => said.test(text)) ||
    numbersIn(text).some((found) => isMoney(found) || found.isStock)
  );
}

/** The SKUs that a clause names, with a product's name that is also a specification; `null` when it names none. */
function spokenOf(clause: Clause, skus: readonly SkuChange[]): readonly SkuChange[] | null {
  return namedSkus(clause.nameBefore + clause.text, skus) ?? namedSkus(clause.nameAfter, skus);
}

/** The SKUs whose specifications a text names best; `null` when it names none. */
function namedSkus(text: string, skus: readonly SkuChange[]): readonly SkuChange[] | null {
  const counts = skus.map(({ specs }) => specs.reduce((sum, spec) => sum + namingOf(text, toPlainSentence(spec)), 0));
  const most = Math.max(...counts);
  return most === 0 ? null : skus.filter((_, index) => counts[index] === most);
}

/** How well a text names a specification: 奶锅18cm better than 奶锅 alone, which does where there is one size of it. */
function namingOf(text: string, spec: string): 0 | 1 | 2 {
  if (hasSpec(text, spec)) return 2;
  const word = SPEC_WORD.exec(spec)?.[0];
  return word !== undefined && word !== spec && text.includes(word) ? 1 : 0;
}

/** What a specification is called without its size. */
const SPEC_WORD = /^\p{Script=Han}{2,}(?=[\da-z])/u;

/** 38 does not stand in 138 or 38.5, nor M in CM. */
function hasSpec(text: string, spec: string): boolean {
  if (spec === "") return false;
  for (let at = text.indexOf(spec); at !== -1; at = text.indexOf(spec, at + 1)) {
    if (!goesOn(text, at) && !goesOn(text, at + spec.length)) return true;
  }
  return false;
}

function goesOn(text: string, at: number): boolean {
  return /^[a-z0-9.]{2}$/u.test(text.slice(Math.max(0, at - 1), at + 1));
}

type NumberInText = FoundNumber & { readonly textBefore: string; readonly textAfter: string };

/** The numbers of a text, with what stands around each. */
function numbersIn(text: string): NumberInText[] {
  let from = 0;
  return extractNumbers(text).map((found) => {
    const start = text.indexOf(found.written, from);
    if (start === -1) return { ...found, textBefore: "", textAfter: "" };
    from = start + found.written.length;
    return { ...found, textBefore: text.slice(0, start), textAfter: text.slice(from) };
  });
}

type Scope = {
  readonly skus: readonly SkuChange[];
  /** Numbers of pieces that the amount may be for: their totals hold, too. */
  readonly quantities: readonly number[];
  readonly coupons: RoomChange["coupons"];
  /** Those that an amount may be said to have taken off: none where the sentence tells of none. */
  readonly heldCoupons: RoomChange["coupons"];
};

const TELLS_COUPON = /券|红包|优惠|减|领|到手/u;

/** Tells the amount of pieces that were named before: 拍两套，一共329. */
const TOTAL = /一共|总共|共计|合计|总价|加起来|(?:^|[^公])共\d/u;

function quantitiesIn(text: string): number[] {
  return extractNumbers(text)
    .filter(({ kind, value }) => kind === "count" && value <= QUANTITY_MAX)
    .map(({ value }) => value);
}

/** Pieces of one order whose total a host may tell. */
const QUANTITY_MAX = 10;

/** Amounts that are no price of the product now: of before the live room, of an offer, of the way. 还是之前39.9 claims one. */
const NO_PRICE_BEFORE =
  /(?:原价|划线价|吊牌价|日常价|专柜价|市场价|平时|满|减|省|返|抵|优惠|(?<![最更很好超真])便宜|补差?价?|邮费|运费|红包|[定订押]金|尾款|(?<!还是|就是|[和跟按照])(?:之前|以前|刚才|刚刚|昨天|前天|上次|上一?场|原来|比)(?:的|价格?)*)(?:了|掉|是|要|卖|都|得|也)*[¥￥]?$/u;

/** Said of an amount that it is over: 39.9的活动结束了; and 从39.9涨到49.9. */
const NO_PRICE_AFTER =
  /^(?:的|那|这)?(?:活动|价格?|[一这那]?[波批]|优惠)*(?:已经|都|就)*(?:结束|没有?了|抢完|过了|恢复)/u;
const CHANGES_AFTER = /^(?:直接|就|又|已经)?(?:[涨升降跌调改变]|恢复)/u;

/** One price for all that is named. */
const SAME_FOR_ALL = /都是|都卖|都只|全是|均为|统一|同价|一样|一个价/u;

function stalePrice(text: string, { skus, quantities, coupons, heldCoupons }: Scope): StaleClaim | null {
  const isForAll = SAME_FOR_ALL.test(text);
  const holds = (found: FoundNumber, { after }: SkuChange) =>
    [1, ...quantities].some((quantity) =>
      amountsOf(after, quantity, heldCoupons).some((cents) => isAmount(found, cents)),
    );
  for (const found of numbersIn(text)) {
    if (!isMoney(found) || isPastPrice(found)) continue;
    const sku = skus.find((each) => wasAmount(found, each, coupons) && !holds(found, each));
    if (sku === undefined || (!isForAll && skus.some((each) => holds(found, each)))) continue;
    return { kind: "price", claim: found.written, now: `${toYuan(sku.after.priceCents)}元` };
  }
  return null;
}

function isPastPrice({ textBefore, textAfter }: NumberInText): boolean {
  return (
    NO_PRICE_BEFORE.test(textBefore) ||
    NO_PRICE_AFTER.test(textAfter) ||
    (/[从由]$/u.test(textBefore) && CHANGES_AFTER.test(textAfter))
  );
}

/** After a number that counts or measures something and is no price: 100支纱, 12色. */
const COUNTED = new RegExp(`^(?:${PIECE}|[a-z%*×支层年岁人位名色码号种代档寸孔针目度分秒点折成])`, "u");
/** Smaller bare numbers are counts more often than prices. */
const BARE_PRICE_MIN = 10;

/** Amounts of money, and bare numbers that may be one: 39.9两条, 299一床. */
function isMoney(found: NumberInText): boolean {
  if (found.kind === "price") return true;
  if (found.kind !== "count" || found.isStock || found.isIdle || found.isRank) return false;
  // 39.9包邮 is a price, 两件包邮 an offer.
  if (found.deal !== null) return found.value >= BARE_PRICE_MIN && found.textAfter.startsWith("包邮");
  return found.isUnitless || (found.value >= BARE_PRICE_MIN && !COUNTED.test(found.textAfter));
}

function wasAmount(found: FoundNumber, { before, after }: SkuChange, coupons: RoomChange["coupons"]): boolean {
  if (before.priceCents === after.priceCents) return false;
  for (let quantity = 1; quantity <= QUANTITY_MAX; quantity += 1) {
    if (amountsOf(before, quantity, coupons).some((cents) => isAmount(found, cents))) return true;
  }
  return false;
}

/** What some pieces cost, without a coupon and with each that they reach. */
function amountsOf({ priceCents }: SkuFacts, quantity: number, coupons: RoomChange["coupons"]): number[] {
  const total = priceCents * quantity;
  return [total, ...coupons.filter(({ minCents }) => total >= minCents).map(({ offCents }) => total - offCents)];
}

function isAmount(found: FoundNumber, cents: number): boolean {
  const [low, high] = boundsOf(found);
  return cents >= Math.round(low * 100) && cents <= Math.round(high * 100);
}

/** What an amount that is said about may be: 30多 up to 40, 不到40 down to 30, 40左右 a tenth to both sides. */
function boundsOf({ value, exact }: FoundNumber): readonly [low: number, high: number] {
  const place = [1_000, 100, 10].find((size) => value >= size && value % size === 0) ?? 1;
  if (exact === "over") return [value, value + place];
  if (exact === "under") return [value - place, value];
  return exact === "near" ? [value * 0.9, value * 1.1] : [value, value];
}

/** 什么时候有货 and 有货了通知您 promise nothing. */
const AVAILABLE = anyOf(
  "(?<!没|没有|无|缺|断|到|补|售|时候|何时|会|等|如果|要是|是否|是不是|有没)有(?:现|存)?货(?!了?(?:再|就会?|会|马上会|的?时候|之?后|通知)|的话)|(?<!没有?|无)现货",
  "(?<!没)还有(?:库存|存货|少量|一些|一点|很多|不少|最后|[挺蛮]多|的(?!是)|(?=$|[、哦呢哈啊呀嘞噢的]))|(?<!没)有库存|库存(?:还|都)?有的?(?=$|[哦呢哈啊呀])",
  "(?:库存|货|数量|货源)(?:很|还|都|非常|比较)?(?:充足|够|多|足)|库存(?:不多|紧张|有限|告急)|(?:也|都)有(?=$|[、哦呢哈啊呀噢的])|管够|还(?:没|没有)(?:卖完|售罄|抢完|卖光)",
  "(?:还|都)(?:能|可以)(?:拍|买|下单)|(?:还|就|只|仅)[剩有](?:好|十|几十)?[几来](?:件|个|条|套|单|份|盒|双|瓶|包|床|张)",
);
const SOLD_OUT = anyOf(
  "(?<!快|快要|马上|就|要|即将|等|会|没|没有|怕|容易|差点|之前|刚才|刚刚|昨天|上次)(?:卖|抢|拍|秒)(?:完|光|没|空)(?!再|为止|之?前|[的了]?话|了?就)",
  "(?<!快|快要|马上|即将|没|没有|未|会)(?:售罄|售空)(?!就|之?前|为止|[的了]话)",
  "(?<!有|不会|不|会|怕|担心|之前|刚才|刚刚|昨天|上次|没|没有)(?:没|没有|无|缺|断)(?:现|存)?货(?!源|品|不对)|(?:没有?|无)库存|库存(?:是|为|已经|都|只有)*[零0](?![.\\d])|断码",
  "(?<!会)售完|正在补货|补货中|[等待]补货|补不到货|(?<!会)下架了|(?:已经|暂时|现在|目前)没有?了|暂时没有(?=$|[哦呢哈啊呀])|[拍买]不了",
  "(?:不能|没得|没法|不可以)(?:拍|买|下单)(?=$|[了哦呢哈啊呀])|下不了单",
);

/** Said of what is left, though not of how much and not always of stock: only where nothing at all is left can it be untrue. */
const SOME_LEFT = anyOf(
  "(?<![不没])(?:能|可以)(?:拍|下单)(?=$|[了的哦呢哈啊呀吧])|(?:快要?|马上就?要?|就要)(?:没|卖完|抢完|卖光|抢光|售罄|没有)了?(?=$|[了哦呢哈啊呀])|手慢无|数量(?:不多|有限)",
  "所?剩的?(?:得)?不多|没剩几|(?:最后|只有|只剩)的?(?:好|十)?几[件个条套单份盒双瓶包床张]|不[断缺]货|没有?(?:卖完|断货|抢完)|来得及|(?<![没所只含具拥享])有(?:[的哦呢哈啊呀嘞噢]+)?$",
);

/** The same of what is gone: 没有哦 and 没了 may be said of other things, so only of what is named. */
const NONE_LEFT = /(?<!快|快要|马上|就|要|会|怕|别)(?:没有?了|空了|没有)(?=$|[哦呢哈啊呀宝亲])/u;

/** What else a room has: 运费险也有. */
const OTHER_THINGS = /运费险|赠品|小样|礼[品物]|券|优惠|活动|福利|红包|质保|保修|发票|客服|说明|问题|色差|异味|味道/u;

/** 还有一个好处 tells no stock. */
const NO_STOCK_AFTER =
  /^个?(?:好处|优点|特点|问题|细节|办法|亮点|惊喜|活动|福利|优惠|功能|用法|地方|原因|选择|颜色|款)/u;

type Stocks = {
  readonly named: readonly SkuChange[];
  readonly all: readonly SkuChange[];
  /** The sentence says of which: 红色没了. */
  readonly isNamed: boolean;
};

function staleStock(text: string, { named, all, isNamed }: Stocks): StaleClaim | null {
  const counts = numbersIn(text).filter((found) => isStockCount(found) && !NO_STOCK_AFTER.test(found.textAfter));
  const gone = named.find(({ before, after }) => before.stock > 0 && after.stock === 0);
  const available = availableIn(text, counts) ?? someLeft(text, named);
  if (gone !== undefined && available !== undefined && !SOLD_OUT.test(text)) return toStale(available, gone);
  const back = named.find(({ before, after }) => before.stock === 0 && after.stock > 0);
  const soldOut = soldOutIn(text) ?? (isNamed ? noneLeft(text) : undefined);
  if (back !== undefined && soldOut !== undefined) return toStale(soldOut, back);
  return staleCount(counts, named, all);
}

function availableIn(text: string, counts: readonly FoundNumber[]): string | undefined {
  return AVAILABLE.exec(text)?.[0] ?? counts.find(({ value }) => value > 0)?.written;
}

function soldOutIn(text: string): string | undefined {
  return SOLD_OUT.exec(text)?.[0];
}

/** Also 12件库存 and 只有12件了. */
function isStockCount({ isStock, kind, textBefore, textAfter }: NumberInText): boolean {
  if (isStock) return true;
  if (kind !== "count") return false;
  return STOCK_WORD_AFTER.test(textAfter) || (/(?:只|就)有$/u.test(textBefore) && LEFT_AFTER.test(textAfter));
}

const STOCK_WORD_AFTER = new RegExp(`^${PIECE}?的?(?:库存|现货)`, "u");
const LEFT_AFTER = new RegExp(`^${PIECE}了`, "u");

function someLeft(text: string, named: readonly SkuChange[]): string | undefined {
  const isNothingLeft = named.every(({ after }) => after.stock === 0);
  return isNothingLeft && !OTHER_THINGS.test(text) ? SOME_LEFT.exec(text)?.[0] : undefined;
}

function noneLeft(text: string): string | undefined {
  return OTHER_THINGS.test(text) ? undefined : NONE_LEFT.exec(text)?.[0];
}

/** A number of pieces may be one SKU's or the whole product's. */
function staleCount(
  counts: readonly FoundNumber[],
  named: readonly SkuChange[],
  all: readonly SkuChange[],
): StaleClaim | null {
  const total = (pick: (sku: SkuChange) => SkuFacts) => all.reduce((sum, sku) => sum + pick(sku).stock, 0);
  const [was, is] = [total(({ before }) => before), total(({ after }) => after)];
  for (const { value, exact, written } of counts) {
    if (exact !== "exactly" || value === is || named.some(({ after }) => after.stock === value)) continue;
    const sku = named.find(({ before }) => before.stock === value);
    if (sku !== undefined) return toStale(written, sku);
    if (was === value) return { kind: "stock", claim: written, now: `还有${is}` };
  }
  return null;
}

function toStale(claim: string, { after }: SkuChange): StaleClaim {
  return { kind: "stock", claim, now: after.stock === 0 ? "没货" : `还有${after.stock}` };
}

/** 这款 alone is no claim: it may be what was asked about. Nor is what people see or say beside a product. */
const ON_SCREEN = anyOf(
  "(?:正在|现在|当前|目前|此刻)(?:正在|主播)?(?:给(?:大家|您|你们))?(?:(?:在?讲解?|介绍|展示|播|上架?|弹)的|讲到的|看到?的(?!评论|弹幕|留言|消息|人|宝|朋友|家人|都|优惠|活动)|说的(?!都|是?真|话|是实))",
  "正在(?:讲解?|介绍|展示|弹)(?!优惠|活动|规则|物流|售后|怎么|领)|(?<!手机|电脑|电视)屏幕(?:上|里|中)|屏幕[左右]?[下上]方的?(?:这|商品|链接|产品)|[左右]?[下上]角(?:弹|的?这)",
  "弹(?:窗(?:里|上|的)?(?:这|的)|出来?的?这?(?:个|款|链接|商品))|画面(?:上|里|中)|镜头(?:前|里)(?!的?(?:宝|家人|朋友|您))",
  "(?:主播|我)们?手(?:里|上|中)拿?着?的?(?:这|$|(?=就?是))|手(?:里|上|中)拿着?的(?:这|$|就?是)|(?:当前|现在)(?:这个)?讲解(?:的|中)|讲解中的|当前的?(?:这|商品|产品|链接)",
  "现在这(?:款|个(?!价|活动|时)|[件条套盒双])|[眼台](?:前|上)的?这",
);

function staleScreen(text: string, { onScreenProductId, onScreenNames }: RoomChange): StaleClaim | null {
  if (onScreenProductId === undefined) return null;
  const plain = toPlainSentence(text);
  const claim = ON_SCREEN.exec(plain)?.[0];
  if (claim === undefined || onScreenNames.some((name) => plain.includes(toPlainSentence(name)))) return null;
  return { kind: "on-screen", claim, now: onScreenNames[0] ?? "屏幕上没有商品" };
}

function anyOf(...said: readonly string[]): RegExp {
  return new RegExp(said.join("|"), "u");
}
