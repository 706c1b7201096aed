/** What the room sells, with live prices and stock, and which product is on screen. */
import { type PageContext, byId, make, makeButton, setText } from "../dom.ts";
import { formatCents } from "../format.ts";
import type { RoomModel } from "../frame-store.ts";
import { createKeyedList } from "../keyed-list.ts";
import { type ProductCard, findProducts, toProductCard } from "../product-card.ts";
import type { Strings } from "../strings.ts";

type ProductLine = { readonly card: ProductCard; readonly isOnScreen: boolean; readonly canShow: boolean };

export type ScreenControl = {
  /** False once the server has said that this token may not change the room. */
  readonly isAllowed: () => boolean;
  /** Puts a product on screen; `null` clears it. */
  readonly show: (productId: string | null) => void;
};

/** Builds the list and its search field. */
export function createProductsView(control: ScreenControl, onSearch: () => void) {
  const search = byId("products-search", HTMLInputElement);
  const empty = byId("products-empty", HTMLParagraphElement);
  search.addEventListener("input", onSearch);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && search.value !== "") {
      // The first Escape clears the field, the next one leaves it.
      event.stopPropagation();
      search.value = "";
      onSearch();
    }
  });
  let strings: Strings | null = null;
  const list = createKeyedList<ProductLine>({
    parent: byId("products", HTMLUListElement),
    key: ({ card }) => card.id,
    inputs: ({ card, isOnScreen, canShow }) => [JSON.stringify(card), isOnScreen, canShow, strings],
    create: () => createProductRow(() => strings, control.show),
  });

  return {
    update: (model: RoomModel, context: PageContext): void => {
      strings = context.strings;
      const { products } = model.config;
      const found = findProducts(products, search.value);
      empty.hidden = found.length > 0;
      setText(
        empty,
        products.length === 0 ? strings.productsEmpty : found.length === 0 ? strings.productsNoMatch(search.value) : "",
      );
      list.update(
        found.map((product) => ({
          card: toProductCard(product, model.skuOverrides),
          isOnScreen: product.id === model.onScreenProductId,
          canShow: control.isAllowed(),
        })),
      );
    },
  };
}

function createProductRow(getStrings: () => Strings | null, show: ScreenControl["show"]) {
  const element = make("li", "product");
  const link = make("span", "product-link");
  const name = make("p", "product-name");
  const marker = make("span", "product-marker");
  const price = make("p", "product-price");
  const now = make("strong");
  const before = make("s");
  price.append(now, before);
  const stock = make("p", "product-stock");
  let line: ProductLine | null = null;
  const button = makeButton("quiet product-show", "", () => {
    if (line !== null) show(line.isOnScreen ? null : line.card.id);
  });
  element.append(link, name, marker, price, stock, button);
  return {
    element,
    update: (next: ProductLine): void => {
      line = next;
      const strings = getStrings();
      if (strings === null) return;
      const { card, isOnScreen, canShow } = next;
      setText(link, `${card.link}`);
      link.title = strings.productLink(card.link);
      setText(name, card.name);
      element.classList.toggle("is-on-screen", isOnScreen);
      marker.hidden = !isOnScreen;
      setText(marker, strings.productOnScreen);
      setText(now, toPriceText(card));
      before.hidden = card.listPriceCents === null;
      setText(before, card.listPriceCents === null ? "" : formatCents(card.listPriceCents));
      before.ariaLabel = card.listPriceCents === null ? "" : strings.productListPrice(formatCents(card.listPriceCents));
      setText(stock, card.stock === 0 ? strings.productSoldOut : strings.productStock(card.stock, card.unit));
      stock.classList.toggle("is-sold-out", card.stock === 0);
      button.hidden = !canShow;
      setText(button, isOnScreen ? strings.productHide : strings.productShow);
      button.ariaLabel = isOnScreen ? strings.productHideLabel(card.name) : strings.productShowLabel(card.name);
    },
  };
}

function toPriceText({ priceFromCents, priceToCents }: ProductCard): string {
  const from = formatCents(priceFromCents);
  return priceFromCents === priceToCents ? from : `${from} – ${formatCents(priceToCents)}`;
}
