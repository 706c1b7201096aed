/** `kaibo room follow`: the frames of a room as they come, over any number of cuts. */
import { createRoomConnection, type ClientPorts } from "../../../shared/client/room-connection.ts";
import type { ConnectionState } from "../../../shared/client/room-stream.ts";
import type { Product } from "../../../shared/contract/room-config.ts";
import { toCliError, type ApiTarget } from "../edge-api.ts";
import { formatFrame } from "./frame-output.ts";
import type { Paint } from "../harness/harness-output.ts";
import type { RoomCommand } from "./room-options.ts";

export type FollowPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Takes text for standard error: what is no frame. */
  readonly err: (text: string) => void;
  readonly paint: Paint;
  readonly client: ClientPorts;
  /** Settles when someone wants the command to end. */
  readonly stopAsked: () => Promise<void>;
};

type Following = FollowPorts & { readonly products: readonly Product[] };

/**
 * Prints until the time is up or someone ends it: a line a frame. What is not a frame stays out of it, on standard error.
 *
 * @throws CliError - the instance will not have this follower.
 */
export async function followRoom(
  { room, after, follow, forMs, json }: Extract<RoomCommand, { action: "follow" }>,
  target: ApiTarget,
  { out, err, paint, client, stopAsked, products }: Following,
): Promise<void> {
  const words = { paint, productNames: new Map(products.map(({ id, name }) => [id, name])) };
  const position = after === undefined ? {} : { after };
  const connection = createRoomConnection({ ...target, room, follow, ports: client, ...position });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  connection.on("frame", (frame) => {
    if (json) out(`${JSON.stringify(frame.type === "unknown" ? frame.body : frame)}\n`);
    else out(formatFrame(frame, words));
  });
  connection.on("missed", ({ fromSeq, toSeq }) => {
    err(`frames ${fromSeq} to ${toSeq} are no longer kept\n`);
  });
  connection.on("connection", (state) => {
    if (state.status === "refused") {
      return reject(toCliError(`Room ${room} cannot be followed.`, { ...state.failure, details: {} }));
    }
    err(noteOf(state));
  });
  const cancel = forMs === undefined ? () => {} : client.timer.after(forMs, resolve);
  connection.connect();
  try {
    await Promise.race([over, stopAsked()]);
  } finally {
    cancel();
    connection.close();
  }
}

/** Only what a follower has to know: that frames are late. */
function noteOf(state: ConnectionState): string {
  if (state.status !== "waiting") return "";
  return `connection lost; again in ${(state.retryInMs / 1_000).toFixed(1)} s\n`;
}
