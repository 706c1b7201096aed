/** `kaibo room`: which rooms there are, what they show, and changes to that. */
import { z } from "zod";
import { roomPath } from "../../../shared/client/room-api.ts";
import {
  frameSeqSchema,
  interruptedSchema,
  roomListSchema,
  roomSavedSchema,
} from "../../../shared/contract/http-api.ts";
import type { RoomConfig } from "../../../shared/contract/room-config.ts";
import type { RoomPatch } from "../../../shared/contract/room-state.ts";
import { roomViewSchema, type RoomView } from "../../../shared/contract/room-view.ts";
import { CliError } from "../cli-error.ts";
import { diffRooms } from "./diff-room.ts";
import { createEdgeApi, expectOk, type ApiTarget, type EdgeApi } from "../edge-api.ts";
import { followRoom, type FollowPorts } from "./follow-room.ts";
import { readRoom } from "./read-room.ts";
import type { RoomCommand } from "./room-options.ts";
import { formatPatch, formatRoom, formatRooms, formatSet, type RoomList, type RoomSet } from "./room-output.ts";

/** Rooms that are listed when no limit is given. */
const ROOMS_MAX = 1_000;

/** Rooms of one page: the most that the API gives. */
const PAGE_MAX = 100;

/** The stable part of a prompt. */
const promptSchema = z.object({ digest: z.string(), text: z.string() });

export type RoomPorts = FollowPorts & { readonly fetch?: typeof fetch };

type Asked<Action extends RoomCommand["action"]> = Extract<RoomCommand, { action: Action }>;
type Print = <Answer>(answer: Answer, format: (answer: Answer) => string) => void;

/**
 * Runs the command and prints its outcome: for people, or as one line of JSON.
 *
 * @throws CliError - a file does not read, the room has no such product, or the instance refused.
 */
export async function runRoom(command: RoomCommand, target: ApiTarget, ports: RoomPorts): Promise<void> {
  const api = createEdgeApi(target, ports.fetch);
  const { paint } = ports;
  const print: Print = (answer, format) => ports.out(command.json ? `${JSON.stringify(answer)}\n` : format(answer));
  switch (command.action) {
    case "list":
      return print(await listRooms(api, command.limit ?? ROOMS_MAX), (list) => formatRooms(list, paint));
    case "show": {
      const { hasProducts } = command;
      return print(await readView(api, command.room), (view) => formatRoom(view, { hasProducts, paint }));
    }
    case "set":
      return print(await setRoom(api, command), (set) => formatSet(set, paint));
    case "state":
      return changeState(api, command, print);
    case "interrupt":
      return print(await interrupt(api, command), ({ turn }) => `${turn} was interrupted\n`);
    case "host-speech": {
      const route = `${roomPath(command.room)}/host-speech`;
      const heard = await api.call("POST", route, { body: command.speech, answer: frameSeqSchema });
      return print(expectOk(heard, `Room ${command.room} did not hear it.`), ({ seq }) => `heard, frame ${seq}\n`);
    }
    case "prompt": {
      const read = await api.call("GET", `${roomPath(command.room)}/prompts/${command.digest}`, {
        answer: promptSchema,
      });
      return print(expectOk(read, `Room ${command.room} has no such prompt.`), ({ text }) => `${text}\n`);
    }
    case "follow": {
      // Asked first: a stream does not tell why it does not open, and a frame names products by id alone.
      const view = await findView(api, command.room);
      return followRoom(command, target, { ...ports, products: view?.config.products ?? [] });
    }
  }
}

/** Page after page. A cursor is left when there are more rooms than the limit. */
async function listRooms(api: EdgeApi, limit: number): Promise<RoomList> {
  const rooms: RoomList["rooms"] = [];
  let cursor: string | null = null;
  do {
    const page = new URLSearchParams({ limit: `${Math.min(PAGE_MAX, limit - rooms.length)}` });
    if (cursor !== null) page.set("cursor", cursor);
    const listed = await api.call("GET", `/v1/rooms?${page.toString()}`, { answer: roomListSchema });
    const list: RoomList = expectOk(listed, "The rooms could not be listed.");
    rooms.push(...list.rooms);
    cursor = list.nextCursor;
  } while (cursor !== null && rooms.length < limit);
  return { rooms, nextCursor: cursor };
}

async function readView(api: EdgeApi, room: string): Promise<RoomView> {
  const loaded = await api.call("GET", roomPath(room), { answer: roomViewSchema });
  return expectOk(loaded, `Room ${room} could not be read.`);
}

/** `null`: the token is a viewer's, who may follow the room and not read it. */
async function findView(api: EdgeApi, room: string): Promise<RoomView | null> {
  const loaded = await api.call("GET", roomPath(room), { answer: roomViewSchema });
  if (!loaded.ok && loaded.error.code === "forbidden") return null;
  return expectOk(loaded, `Room ${room} could not be read.`);
}

async function setRoom(api: EdgeApi, { room, source }: Asked<"set">): Promise<RoomSet> {
  const config = await readRoom(source, process.cwd());
  const loaded = await api.call("GET", roomPath(room), { answer: roomViewSchema });
  const isNew = !loaded.ok && loaded.error.code === "room_not_found";
  const view = isNew ? null : expectOk(loaded, `Room ${room} could not be read.`);
  const put = await api.call("PUT", roomPath(room), { body: config, answer: roomSavedSchema });
  const saved = expectOk(put, `Room ${room} was not configured.`);
  if (view === null) return { ...saved, before: null, changes: [] };
  const { revision, harness } = view;
  return { ...saved, before: { revision, harness }, changes: diffRooms(view.config, config) };
}

async function changeState(api: EdgeApi, { room, onScreen, skus }: Asked<"state">, print: Print): Promise<void> {
  const view = await readView(api, room);
  for (const { skuId } of skus) requireSku(view, skuId);
  const patch: RoomPatch = {
    ...(onScreen !== undefined && { onScreenProductId: onScreen === null ? null : findProduct(view, onScreen) }),
    ...(skus.length > 0 && { skus: [...skus] }),
  };
  const patched = await api.call("PATCH", `${roomPath(room)}/state`, { body: patch, answer: frameSeqSchema });
  const { seq } = expectOk(patched, `Room ${room} was not changed.`);
  print({ room, seq, patch }, () => formatPatch(patch, view));
}

/** Id of the product: by its link number, else by its id. */
function findProduct({ room, config }: RoomView, named: string): string {
  const { products } = config;
  const found = products.find(({ link }) => `${link}` === named) ?? products.find(({ id }) => id === named);
  if (found !== undefined) return found.id;
  throw notSold(room, `link or product ${named}`, config);
}

function requireSku({ room, config }: RoomView, skuId: string): void {
  if (config.products.some(({ skus }) => skus.some(({ id }) => id === skuId))) return;
  throw notSold(room, `SKU ${skuId}`, config);
}

function notSold(room: string, what: string, { products }: RoomConfig): CliError {
  return new CliError(`Room ${room} sells no ${what}.`, {
    why: `It sells ${products.length} products, by link numbers, ids and SKUs of their own; nothing was changed.`,
    next: `npx kaibo room show ${room} --products`,
  });
}

async function interrupt(api: EdgeApi, { room, reason }: Asked<"interrupt">) {
  const body = reason === undefined ? {} : { reason };
  const interrupted = await api.call("POST", `${roomPath(room)}/interrupt`, { body, answer: interruptedSchema });
  if (!interrupted.ok && interrupted.error.code === "turn_not_found") {
    throw new CliError(`Nothing was interrupted in room ${room}.`, {
      why: "No turn is being spoken (turn_not_found).",
      next: `npx kaibo room follow ${room}`,
    });
  }
  return expectOk(interrupted, `Nothing was interrupted in room ${room}.`);
}
