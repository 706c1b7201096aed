/** Listeners of a room, in processes of their own, and what they heard. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { RoomTarget } from "./post-batches.ts";

/** Processes that the listeners are split over. */
const PROCESSES = 2;

export type ListenersOrder =
  | { readonly type: "open"; readonly target: RoomTarget; readonly speech: number; readonly all: number }
  | { readonly type: "report" };

/** One entry a listener, but for the last two, which are those of one listener. */
export type ListenerFigures = {
  readonly lastSeqs: readonly number[];
  readonly texts: readonly number[];
  readonly frames: readonly number[];
  readonly chars: readonly number[];
  readonly sentences: readonly number[];
  readonly gaps: readonly number[];
  readonly disorders: readonly number[];
  readonly cuts: readonly number[];
  readonly delaysMs: readonly number[];
  readonly outcomes: Readonly<Record<string, number>>;
};

export type Listeners = {
  readonly pids: readonly number[];
  /** One of each process. */
  readonly report: () => Promise<ListenerFigures[]>;
  readonly close: () => void;
};

/** @param counts - Listeners of the speech alone, and of everything. */
export async function openListeners(
  target: RoomTarget,
  counts: { readonly speech: number; readonly all: number },
): Promise<Listeners> {
  const children = Array.from({ length: PROCESSES }, () =>
    fork(path.resolve(import.meta.dirname, "../room-listeners.ts")),
  );
  const shareOf = (count: number, index: number) => Math.floor((count + index) / PROCESSES);
  const close = () => {
    for (const child of children) child.kill();
  };
  try {
    await Promise.all(
      children.map((child, index) =>
        order(child, { type: "open", target, speech: shareOf(counts.speech, index), all: shareOf(counts.all, index) }),
      ),
    );
  } catch (thrown) {
    close();
    throw thrown;
  }
  return {
    pids: children.flatMap(({ pid }) => (pid === undefined ? [] : [pid])),
    report: () => Promise.all(children.map((child) => order(child, { type: "report" }))),
    close,
  };
}

/** A process has one order at a time, so that the next message is its answer. */
async function order(child: ChildProcess, message: ListenersOrder): Promise<ListenerFigures> {
  const answer = once(child, "message");
  const end = once(child, "exit").then(() => {
    throw new Error("A process of listeners ended");
  });
  child.send(message);
  const [figures] = await Promise.race([answer, end]);
  // Both are one program.
  return figures as ListenerFigures;
}
