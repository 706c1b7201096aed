/** The configuration of a room, from a file. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { roomConfigSchema, type RoomConfig } from "../../../shared/contract/room-config.ts";
import { parseJson } from "../../../shared/core/json.ts";
import { SAMPLE_ROOM } from "../ask.ts";
import { CliError, systemCode } from "../cli-error.ts";
import { ROOT } from "../local/project.ts";

/**
 * A bare name is a folder of `harness-kv/rooms/`; anything else is a path, from where it was named, of a file or of a folder
 * that holds a `room.json`.
 *
 * @throws CliError - there is no such file, or it holds no configuration.
 */
export async function readRoom(name: string, from: string): Promise<RoomConfig> {
  const isPath = name.includes("/") || name.endsWith(".json");
  const named = isPath ? path.resolve(from, name) : path.join(ROOT, "harness-kv/rooms", name);
  const file = named.endsWith(".json") ? named : path.join(named, "room.json");
  const shown = path.relative(process.cwd(), file);
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw unreadable(name, `The system says ${systemCode(thrown) || "nothing"} of ${shown}`, thrown);
  });
  const value = parseJson(text);
  if (value === undefined) throw unreadable(name, `${shown} is not JSON`);
  const parsed = roomConfigSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") ?? "";
  throw unreadable(name, `${shown}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "it does not fit"}`);
}

function unreadable(name: string, why: string, cause?: unknown): CliError {
  return new CliError(`The room ${name} does not read.`, {
    why: `${why}.`,
    next: `Name a folder of harness-kv/rooms, such as ${SAMPLE_ROOM}, or a file.`,
    cause,
  });
}
