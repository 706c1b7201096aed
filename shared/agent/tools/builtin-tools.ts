/** The tools that a harness can bind to by name with `{"type":"builtin","builtin":NAME}`. */
import { normaliseForMatch } from "../../core/text.ts";
import type { ProductFact } from "../../contract/fact.ts";
import { toCouponFact } from "../facts/product-fact.ts";
import { resolveProduct, searchProducts } from "../facts/product-index.ts";
import { getPrice } from "./get-price.ts";
import { searchFaq } from "./search-faq.ts";
import { selectSkus } from "./select-skus.ts";
import { factOf, found, notFound, numberOf, productOf, textOf, type Builtin } from "./tool-world.ts";

const RESULTS_MAX = 5;
const LIST_MAX = 20;
const NO_PRODUCT = "直播间没有这个商品，可以先用 search_products 查";

const searchProductsTool: Builtin = (args, world) => {
  const products = searchProducts(world.products, textOf(args, "query"), RESULTS_MAX);
  return found({ products: products.map((product) => briefOf(factOf(product, world))) });
};

const getProduct: Builtin = (args, world) => {
  const product = productOf(args, world);
  return product === null ? notFound(NO_PRODUCT) : found(factOf(product, world));
};

const checkStock: Builtin = (args, world) => {
  const product = productOf(args, world);
  if (product === null) return notFound(NO_PRODUCT);
  const fact = factOf(product, world);
  const skus = selectSkus(fact, textOf(args, "spec"));
  if (skus.length === 0) return notFound(`没有这个规格，可选：${specNamesOf(fact)}`);
  return found({ link: fact.link, name: fact.name, skus: skus.map(({ specs, stock }) => ({ specs, stock })) });
};

const compareProducts: Builtin = (args, world) => {
  const references = Array.isArray(args["products"]) ? args["products"].filter((item) => typeof item === "string") : [];
  const products = references.map((reference) => resolveProduct(world.products, reference));
  const known = [...new Set(products.filter((product) => product !== null))];
  if (known.length < 2) return notFound("至少要两个直播间里有的商品");
  return found({ products: known.slice(0, RESULTS_MAX).map((product) => factOf(product, world)) });
};

const listPromotions: Builtin = (_args, world) =>
  found({
    coupons: world.config.coupons.map(toCouponFact),
    products: world.config.products
      .filter((product) => product.promotions.length > 0)
      .map(({ link, name, promotions }) => ({ link, name, promotions })),
  });

const listProducts: Builtin = (args, world) => {
  const category = normaliseForMatch(textOf(args, "category"));
  const priceMax = numberOf(args, "priceMax") ?? Number.POSITIVE_INFINITY;
  const facts = world.config.products
    .filter(({ category: path, name }) => normaliseForMatch([...path, name].join("")).includes(category))
    .map((product) => briefOf(factOf(product, world)))
    .filter(({ priceFrom }) => priceFrom <= priceMax);
  return found({ count: facts.length, products: facts.slice(0, LIST_MAX) });
};

/** The request is the record of this call: it is kept with the turn and shown to operators in the turn's activity. */
const handOverToHuman: Builtin = (args, world) =>
  found({ accepted: true, ticket: `${world.turn}-human`, reason: textOf(args, "reason") });

const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  Object.entries({
    search_products: searchProductsTool,
    get_product: getProduct,
    check_stock: checkStock,
    get_price: getPrice,
    compare_products: compareProducts,
    search_faq: searchFaq,
    list_promotions: listPromotions,
    list_products: listProducts,
    hand_over_to_human: handOverToHuman,
  }),
);

/** Names that a bundle may bind to. */
export const BUILTIN_NAMES: readonly string[] = [...BUILTINS.keys()];

export function findBuiltin(name: string): Builtin | null {
  return BUILTINS.get(name) ?? null;
}

function briefOf(fact: ProductFact) {
  const prices = (fact.skus ?? []).map((sku) => sku.price);
  const stock = (fact.skus ?? []).reduce((sum, sku) => sum + sku.stock, 0);
  return { link: fact.link, name: fact.name, priceFrom: Math.min(...prices), priceTo: Math.max(...prices), stock };
}

function specNamesOf(fact: ProductFact): string {
  return (fact.skus ?? []).map((sku) => Object.values(sku.specs).join(" ")).join("；");
}
