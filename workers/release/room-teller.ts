/** Tells some of a harness's rooms what they should run now. An invocation of its own, with connections and limits of its own. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { pause } from "../../shared/core/timer.ts";
import { toAppError } from "../../shared/errors/app-error.ts";
import { ERROR_RULES, type ErrorCode } from "../../shared/errors/error-codes.ts";
import { registryOf } from "../platform/registry.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemTimer } from "../platform/system-clock.ts";
import { type Follower, giveVersion, toRequest } from "./adopt-version.ts";

/**
 * Rooms that are told at once: the platform queues more than six connections that wait for an answer.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections
 */
const ROOMS_AT_ONCE = 6;

/** Waits before a room is told again, ms. Whoever still fails is told later by the rollout. */
const PAUSES_MS = [50, 200];

/** The rooms that were not told, each with why; the others were. */
export type TellResult = readonly { readonly room: Follower; readonly code: ErrorCode }[];

export class RoomTeller extends WorkerEntrypoint<Env> {
  /** @throws AppError `registry_unavailable` - nobody was told. */
  async tell(name: string, rooms: readonly Follower[]): Promise<TellResult> {
    const requests = rooms.map((room) => toRequest(name, room));
    const routes = await registryOf(this.env).tables.routesOfRooms(name, requests);
    const waiting = rooms.flatMap((room, index) => {
      const found = routes[index];
      return found === undefined ? [] : [{ room, routes: found }];
    });
    const failed: TellResult[number][] = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { room, routes: found } = next;
        const code = await this.#tellRoom(room, () => giveVersion(this.env, room, { name, routes: found }));
        if (code !== null) failed.push({ room, code });
      }
    };
    await Promise.all(Array.from({ length: ROOMS_AT_ONCE }, work));
    return failed;
  }

  async #tellRoom(room: Follower, give: () => Promise<void>): Promise<ErrorCode | null> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await give();
        return null;
      } catch (thrown) {
        const { code } = toAppError(thrown);
        // It follows another channel by now, which has told it.
        if (code === "channel_moved") return null;
        const pauseMs = PAUSES_MS[attempt];
        if (pauseMs === undefined || ERROR_RULES[code].retry === "never") {
          reportFailure("tell-room", code, thrown);
          return code;
        }
        await pause(systemTimer, pauseMs);
      }
    }
  }
}
