/** The room's voice: says each sentence when the one before is through, faster than a person would, and tells the room. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { HelloFrame, RoomFrame } from "../../../shared/contract/room-frame.ts";
import { FRAME_PROTOCOL } from "../../../shared/contract/room-frame.ts";
import type { RoomTarget } from "./post-batches.ts";

const OPEN_MS_MAX = 20_000;

/** @param speed - How many times faster than by estimate. */
export async function openVoice({ url, room, token }: RoomTarget, speed: number): Promise<() => void> {
  const address = `${url.replace(/^http/, "ws")}/v1/rooms/${room}/stream?follow=speech&speaks=1`;
  const socket = new WebSocket(address, [FRAME_PROTOCOL, `kaibo.token.${token}`]);
  let saying = Promise.resolve();
  const say = async ({ turn, sentence, speakingMs = 0 }: Extract<RoomFrame, { type: "sentence" }>) => {
    await sleep(speakingMs / speed);
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "spoken", turn, seq: sentence.seq }));
  };
  socket.addEventListener("message", ({ data }) => {
    // The room and this benchmark are one program.
    const value = JSON.parse(String(data)) as HelloFrame | RoomFrame | RoomFrame[];
    for (const frame of Array.isArray(value) ? value : [value]) {
      if (frame.type === "sentence") saying = saying.then(() => say(frame));
    }
  });
  await once(socket, "message", { signal: AbortSignal.timeout(OPEN_MS_MAX) });
  return () => socket.close();
}
