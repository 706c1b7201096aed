/** Keeps a scrolling list at its newest end, until the reader scrolls away from it. */

/** Distance from the end that still counts as being there, px. */
const END_SLACK_PX = 40;

export type PinnedScroller = {
  /** Goes to the end if the list was there. Call it after each change. */
  follow(): void;
  /** Goes to the end now and stays there. */
  pin(): void;
};

/** @param onPinned - Told whenever the reader leaves the end or comes back. */
export function createPinnedScroller(scroller: HTMLElement, onPinned: (isPinned: boolean) => void): PinnedScroller {
  let isPinned = true;
  let heightPx = 0;
  const toEnd = (): void => {
    scroller.scrollTop = scroller.scrollHeight;
  };
  scroller.addEventListener("scroll", () => {
    // A hidden list has no height and says that it is at its end; that is not the reader's doing.
    if (scroller.clientHeight === 0) return;
    // Nor is it when what is beside the list has taken its room: it is followed to its end next.
    if (scroller.clientHeight !== heightPx) return;
    const isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < END_SLACK_PX;
    if (isAtEnd === isPinned) return;
    isPinned = isAtEnd;
    onPinned(isPinned);
  });
  const follow = (): void => {
    heightPx = scroller.clientHeight;
    if (isPinned) toEnd();
  };
  new ResizeObserver(follow).observe(scroller);
  return {
    follow,
    pin: () => {
      isPinned = true;
      onPinned(true);
      toEnd();
    },
  };
}
