/** Some of a room's listeners, in a process of their own: what they cost must not delay whoever measures. */
import type { Follow } from "../../shared/contract/room-frame.ts";
import { Listener } from "./room/listener.ts";
import type { ListenerFigures, ListenersOrder } from "./room/open-listeners.ts";

/** Connections that are opened at once. */
const OPENED_AT_ONCE = 16;

let listeners: Listener[] = [];

process.on("message", (order: ListenersOrder) => {
  void obey(order).then((figures) => process.send?.(figures));
});

async function obey(order: ListenersOrder): Promise<ListenerFigures> {
  if (order.type === "open") {
    const ofKind = (follow: Follow, length: number) => Array.from({ length }, () => new Listener(order.target, follow));
    listeners = [...ofKind("speech", order.speech), ...ofKind("all", order.all)];
    const rest = listeners.values();
    const openSome = async () => {
      for (const listener of rest) await listener.open();
    };
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
  }
  const list = (name: "lastSeq" | "texts" | "frames" | "chars" | "sentences" | "gaps" | "disorders" | "cuts") =>
    listeners.map((listener) => listener[name]);
  return {
    lastSeqs: list("lastSeq"),
    texts: list("texts"),
    frames: list("frames"),
    chars: list("chars"),
    sentences: list("sentences"),
    gaps: list("gaps"),
    disorders: list("disorders"),
    cuts: list("cuts"),
    // One listener stands for its process: all of them are served in turn.
    delaysMs: listeners[0]?.delaysMs ?? [],
    outcomes: listeners[0]?.outcomes ?? {},
  };
}
