/** A list that is folded into one line of text. While it is closed its rows cost nothing. */
import { byId, make, setText } from "../dom.ts";
import { type KeyedListOptions, createKeyedList } from "../keyed-list.ts";
import { wordFor } from "../strings.ts";
import type { Unanswered } from "../unanswered.ts";

export type Fold<Item> = {
  update(shown: { readonly line: string; readonly title: string; readonly items: readonly Item[] }): void;
  /** Opens the list, with its rows. */
  open(): void;
};

/** @param id - A `details` element that is empty in the page's HTML. */
export function createFold<Item>(id: string, options: Omit<KeyedListOptions<Item>, "parent">): Fold<Item> {
  const details = byId(id, HTMLDetailsElement);
  const summary = make("summary");
  const list = make("ol", "fold-list");
  list.tabIndex = 0;
  details.append(summary, list);
  const rows = createKeyedList({ ...options, parent: list });
  let items: readonly Item[] = [];
  const show = (): void => rows.update(details.open ? items : []);
  details.addEventListener("toggle", show);
  return {
    update: (shown) => {
      ({ items } = shown);
      details.hidden = items.length === 0;
      setText(summary, shown.line);
      list.ariaLabel = shown.title;
      show();
    },
    open: () => {
      details.open = true;
      show();
    },
  };
}

/** `像广告 3 · 没有问题可答 120`: reasons with their counts, most first. */
export function countReasons({ byReason }: Unanswered<unknown>, words: Readonly<Record<string, string>>): string {
  return [...byReason]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${wordFor(words, reason)} ${count}`)
    .join(" · ");
}
