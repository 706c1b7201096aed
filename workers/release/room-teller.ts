/** Tells some of a harness's rooms what they should run now. An invocation of its own, with connections and limits of its own. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { RoomLease } from "../../shared/contract/turn-lease.ts";
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

/**
 * Warm-ups of told rooms are spread over this time, ms: a release comes to all rooms in one second, and must neither wait for them
 * nor bring them to the endpoint all at once. An invocation may go on for 30 s after its answer.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#duration
 */
const WARM_SPREAD_MS = 10_000;

/** The rooms that were not told, each with why; the others were. */
export type TellResult = readonly { readonly room: Follower; readonly code: ErrorCode }[];

type Runners = { readonly TurnRunner: { warm(lease: RoomLease): Promise<void> } };

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
    const changed: RoomLease[] = [];
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { room, routes: found } = next;
        const code = await this.#tellRoom(room, async () => {
          const warm = await giveVersion(this.env, room, { name, routes: found });
          if (warm !== null) changed.push(warm);
        });
        if (code !== null) failed.push({ room, code });
      }
    };
    await Promise.all(Array.from({ length: ROOMS_AT_ONCE }, work));
    this.ctx.waitUntil(this.#warm(changed));
    return failed;
  }

  async #warm(leases: readonly RoomLease[]): Promise<void> {
    // The generated type of `exports` knows this Worker's whole module graph, which this must not depend on.
    const { TurnRunner } = this.ctx.exports as unknown as Runners;
    for (const lease of leases) {
      await pause(systemTimer, (Math.random() * WARM_SPREAD_MS * 2) / (leases.length + 1));
      await TurnRunner.warm(lease).catch((thrown: unknown) => reportFailure("warm-up", "internal", thrown));
    }
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
