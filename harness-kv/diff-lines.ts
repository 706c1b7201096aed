/** Two texts by lines, as unified hunks. */

export type DiffLine = { readonly type: "kept" | "removed" | "added"; readonly text: string };

export type Hunk = {
  /** First line and count of lines, before and after, as in a unified diff's `@@ -2,5 +2,6 @@`. */
  readonly before: { readonly line: number; readonly count: number };
  readonly after: { readonly line: number; readonly count: number };
  readonly lines: readonly DiffLine[];
};

/** Unchanged lines around a change. */
const CONTEXT_LINES = 2;

/** Cells of the table of common lines, 2 bytes each: two texts of 2,000 lines. What is larger is told as replaced. */
const CELLS_MAX = 4_000_000;

/** Hunks that lead from one text to the other; none for equal texts. An empty text has no line. */
export function diffLines(before: string, after: string): Hunk[] {
  return toHunks(alignLines(linesOf(before), linesOf(after)));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

/** Every line of both, removed ones before those that were added in their place. */
function alignLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const kept = (text: string): DiffLine => ({ type: "kept", text });
  return [
    ...before.slice(0, start).map(kept),
    ...alignMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(kept),
  ];
}

function alignMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  const isLarge = (before.length + 1) * width > CELLS_MAX;
  const common = isLarge ? null : countCommon(before, after);
  const lines: DiffLine[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const [old, young] = [before[left], after[right]];
    if (common !== null && old !== undefined && old === young) {
      lines.push({ type: "kept", text: old });
      left += 1;
      right += 1;
    } else if (old !== undefined && (young === undefined || prefersRemoval(common, left * width + right, width))) {
      lines.push({ type: "removed", text: old });
      left += 1;
    } else if (young !== undefined) {
      lines.push({ type: "added", text: young });
      right += 1;
    }
  }
  return lines;
}

/** Whether as many lines stay common when the line before is dropped as when the one after is. */
function prefersRemoval(common: Uint16Array | null, cell: number, width: number): boolean {
  return common === null || (common[cell + width] ?? 0) >= (common[cell + 1] ?? 0);
}

/** Length of the longest common subsequence of what follows each pair of lines. */
function countCommon(before: readonly string[], after: readonly string[]): Uint16Array {
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  for (let left = before.length - 1; left >= 0; left -= 1) {
    for (let right = after.length - 1; right >= 0; right -= 1) {
      const cell = left * width + right;
      common[cell] =
        before[left] === after[right]
          ? (common[cell + width + 1] ?? 0) + 1
          : Math.max(common[cell + width] ?? 0, common[cell + 1] ?? 0);
    }
  }
  return common;
}

/** Changes that are no further apart than their context are one hunk. */
function toHunks(lines: readonly DiffLine[]): Hunk[] {
  const changed = lines.flatMap(({ type }, index) => (type === "kept" ? [] : [index]));
  const ranges: { start: number; end: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    const end = Math.min(lines.length, index + CONTEXT_LINES + 1);
    if (last !== undefined && index - CONTEXT_LINES <= last.end) last.end = end;
    else ranges.push({ start: Math.max(0, index - CONTEXT_LINES), end });
  }
  return ranges.map(({ start, end }) => toHunk(lines.slice(0, start), lines.slice(start, end)));
}

function toHunk(above: readonly DiffLine[], lines: readonly DiffLine[]): Hunk {
  const count = (list: readonly DiffLine[], other: DiffLine["type"]) =>
    list.reduce((sum, { type }) => sum + (type === other ? 0 : 1), 0);
  const side = (other: DiffLine["type"]) => {
    const own = count(lines, other);
    // A side without lines stands after the line above, as in a unified diff.
    return { line: count(above, other) + (own === 0 ? 0 : 1), count: own };
  };
  return { before: side("added"), after: side("removed"), lines };
}
