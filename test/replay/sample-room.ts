import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { roomConfigSchema, type RoomConfig } from "../../shared/contract/room-config.ts";
import { parseJson } from "../../shared/core/json.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../harness-kv/rooms/yanxuan-home");

const commentSchema = z.looseObject({ text: z.string(), category: z.string() });

export type SampleRoom = {
  readonly config: RoomConfig;
  /** What viewers of such a room write. */
  readonly comments: readonly string[];
};

/** @param productsMax - The first products alone: a shorter prompt, and a shorter test. */
export async function readSampleRoom(productsMax = Infinity): Promise<SampleRoom> {
  const config = roomConfigSchema.parse(parseJson(await readFile(path.join(FOLDER, "room.json"), "utf8")));
  const lines = (await readFile(path.join(FOLDER, "comments.jsonl"), "utf8")).trim().split("\n");
  const comments = lines.map((line) => commentSchema.parse(parseJson(line)));
  return {
    config: { ...config, products: config.products.slice(0, productsMax) },
    comments: comments.map(({ text }) => text),
  };
}
