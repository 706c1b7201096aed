/** A list of elements that follows a list of items: rows are kept by key, so that focus, selection and open details stay. */

/** One row. `update` is called when it is new and whenever one of its inputs changed. */
export type Row<Item> = { readonly element: Element; update(item: Item): void };

export type KeyedListOptions<Item> = {
  readonly parent: Element;
  readonly key: (item: Item) => string;
  /** All that the row shows, compared by identity: a row is touched only when one of them differs. */
  readonly inputs: (item: Item) => readonly unknown[];
  readonly create: () => Row<Item>;
};

export type KeyedList<Item> = { update(items: readonly Item[]): void };

/** Builds an empty list in `parent`, which must hold nothing else. */
export function createKeyedList<Item>({ parent, key, inputs, create }: KeyedListOptions<Item>): KeyedList<Item> {
  let rows = new Map<string, { row: Row<Item>; inputs: readonly unknown[] }>();
  return {
    update: (items) => {
      const next: typeof rows = new Map();
      for (const item of items) {
        const now = inputs(item);
        const known = rows.get(key(item));
        const row = known?.row ?? create();
        if (known === undefined || now.some((input, index) => input !== known.inputs[index])) row.update(item);
        next.set(key(item), { row, inputs: now });
      }
      for (const [name, { row }] of rows) if (!next.has(name)) row.element.remove();
      rows = next;
      placeInOrder(
        parent,
        [...next.values()].map(({ row }) => row.element),
      );
    },
  };
}

/** Moves only what is out of place: moving an element closes menus and drops focus. */
function placeInOrder(parent: Element, elements: readonly Element[]): void {
  let cursor = parent.firstElementChild;
  for (const element of elements) {
    if (element === cursor) cursor = cursor.nextElementSibling;
    else parent.insertBefore(element, cursor);
  }
}
