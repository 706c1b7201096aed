/** What rooms run, looked at and changed: `kaibo harness release`, `rollback`, `canary`, `pin` and their like. */
import type { z } from "zod";
import { channelMovedSchema } from "../../../shared/contract/http-api.ts";
import { gateSchema, releaseChangedSchema } from "../../../shared/contract/release.ts";
import { expectOk, type EdgeApi } from "../edge-api.ts";
import type { TokenKind } from "../find-target.ts";
import { resolveVersion, routeOf } from "../harness/find-version.ts";
import { shortVersion } from "../format-cells.ts";
import type { Paint } from "../harness/harness-output.ts";
import { pullHarness } from "../harness/pull-command.ts";
import type { InstanceOptions } from "../read-options.ts";
import type { ReleaseCommand } from "./release-options.ts";
import { formatGate, formatMoved, formatRooms } from "./release-output.ts";
import { serveVersion } from "../harness/serve-version.ts";
import { listVersions, readGate, showHarness } from "../harness/show-command.ts";

export type ReleasePorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  readonly paint: Paint;
  readonly openApi: (options: InstanceOptions, kind: TokenKind) => Promise<EdgeApi>;
};

type Asked<Action extends ReleaseCommand["action"]> = Extract<ReleaseCommand, { action: Action }>;
type Ports = Pick<ReleasePorts, "out" | "paint"> & { readonly api: EdgeApi };

/** @throws CliError - the instance refused, or there is no such version. */
export async function runRelease(command: ReleaseCommand, { openApi, ...output }: ReleasePorts): Promise<void> {
  // Who pushes a version does not judge it.
  const isJudging = command.action === "gate" && command.judgement !== null;
  const ports = { ...output, api: await openApi(command, isJudging ? "governor" : "operator") };
  if (isPlain(command)) return change(command, ports);
  switch (command.action) {
    case "list":
      return listVersions(command, ports);
    case "show":
      return showHarness(command, ports);
    case "pull":
      return pullHarness(command, ports);
    case "gate":
      return gate(command, ports);
    case "release":
      return release(command, ports);
    case "rollback":
      return rollBack(command, ports);
    case "freeze":
    case "unfreeze":
      return setFreeze(command, ports);
  }
}

async function gate({ harness, judgement, json, ...asked }: Asked<"gate">, { api, out, paint }: Ports): Promise<void> {
  const version = await resolveVersion(api, harness, asked.version);
  const found =
    judgement === null ? await readGate(api, harness, version) : await judge(api, { harness, version, judgement });
  out(json ? line(found) : `${paint("bold", `${harness} ${shortVersion(version)}`)}\n${formatGate(found, paint)}`);
}

async function judge(
  api: EdgeApi,
  { harness, version, judgement }: Pick<Asked<"gate">, "harness" | "version" | "judgement">,
): Promise<z.infer<typeof gateSchema>> {
  const { condition, ...body } = judgement ?? {};
  const judged = await api.call("PUT", `${routeOf(harness)}/versions/${version}/gate/${condition}`, {
    body,
    answer: gateSchema,
  });
  return expectOk(judged, `The condition ${condition} was not judged.`);
}

async function release(command: Asked<"release">, { api, out, paint }: Ports): Promise<void> {
  const { harness, channel, merchant, expected, json } = command;
  const version = await resolveVersion(api, harness, command.version);
  const seen = typeof expected === "string" ? await resolveVersion(api, harness, expected) : expected;
  const request = { name: harness, channel, merchant, version, ...(seen !== undefined && { expected: seen }) };
  const moved = await serveVersion(api, request);
  if (json) {
    const { previous, rooms } = moved ?? { previous: null, rooms: null };
    return out(line({ name: harness, channel, merchant, version, moved: moved !== null, previous, rooms }));
  }
  if (moved === null) return out(`${harness} ${channel} serves ${shortVersion(version)} already\n`);
  out(formatMoved({ ...moved, merchant }, paint) + formatRooms(moved.rooms, paint));
}

async function rollBack(command: Asked<"rollback">, { api, out, paint }: Ports): Promise<void> {
  const { harness, channel, merchant, expected, json } = command;
  const seen = typeof expected === "string" ? { expected: await resolveVersion(api, harness, expected) } : {};
  const rolled = await api.call("POST", `${routeOf(harness)}/channels/${encodeURIComponent(channel)}/rollback`, {
    body: { merchant, ...seen },
    answer: channelMovedSchema,
  });
  const moved = { ...expectOk(rolled, `Channel ${channel} of ${harness} was not rolled back.`), merchant };
  out(json ? line(moved) : formatMoved(moved, paint) + formatRooms(moved.rooms, paint));
}

async function setFreeze(command: Asked<"freeze"> | Asked<"unfreeze">, { api, out }: Ports): Promise<void> {
  const { harness, merchant, json } = command;
  const route = `${routeOf(harness)}/freeze`;
  const isFrozen = command.action === "freeze";
  const sent = isFrozen
    ? await api.send("PUT", route, { body: { merchant, reason: command.reason } })
    : await api.send("DELETE", `${route}${queryOf(merchant)}`);
  await expectOk(sent, `${harness} was not ${isFrozen ? "frozen" : "released from its freeze"}.`).body?.cancel();
  if (json) return out(line({ name: harness, merchant, isFrozen }));
  const whose = merchant === "*" ? harness : `${harness} for ${merchant}`;
  out(isFrozen ? `${whose} is frozen: rollbacks alone are possible\n` : `${whose} is not frozen any more\n`);
}

/** What is asked of the instance, and what people are told of it. */
type Change = {
  readonly method: "PUT" | "POST" | "DELETE";
  readonly route: string;
  readonly body?: unknown;
  readonly refused: string;
  readonly done: string;
};

/** Changes that are one call, after which rooms are told. */
const PLAIN = ["pin", "unpin", "canary", "end-canary", "revoke"] as const;
type PlainChange = Asked<(typeof PLAIN)[number]>;

function isPlain(command: ReleaseCommand): command is PlainChange {
  return PLAIN.some((action) => action === command.action);
}

async function change(command: PlainChange, { api, out, paint }: Ports): Promise<void> {
  const { method, route, refused, done, ...rest } = await changeOf(api, command);
  const changed = await api.call(method, route, { ...rest, answer: releaseChangedSchema });
  const { name, rooms } = expectOk(changed, refused);
  out(command.json ? line({ name, rooms }) : `${done}\n${formatRooms(rooms, paint)}`);
}

async function changeOf(api: EdgeApi, command: PlainChange): Promise<Change> {
  const { harness } = command;
  const base = routeOf(harness);
  switch (command.action) {
    case "pin": {
      const version = await resolveVersion(api, harness, command.version);
      const { scope, id, note } = command;
      const done = `${scope} ${id} is pinned to ${harness} ${shortVersion(version)}`;
      const refused = `${scope} ${id} was not pinned.`;
      return { method: "PUT", route: `${base}/pins/${scope}/${id}`, body: { version, note }, refused, done };
    }
    case "unpin": {
      const { scope, id } = command;
      const done = `${scope} ${id} follows its channel again`;
      return {
        method: "DELETE",
        route: `${base}/pins/${scope}/${id}`,
        refused: `${scope} ${id} was not unpinned.`,
        done,
      };
    }
    case "canary": {
      const version = await resolveVersion(api, harness, command.version);
      const { share, rooms, merchant } = command;
      const body = { version, share, rooms, merchant };
      const done = `${harness} ${shortVersion(version)} is the canary, for ${share} % of the rooms${rooms.length === 0 ? "" : ` and ${rooms.join(", ")}`}`;
      return { method: "PUT", route: `${base}/canary`, body, refused: `The canary of ${harness} was not set.`, done };
    }
    case "end-canary": {
      const route = `${base}/canary${queryOf(command.merchant)}`;
      const refused = `The canary of ${harness} was not ended.`;
      return { method: "DELETE", route, refused, done: `${harness} has no canary any more` };
    }
    case "revoke": {
      const version = await resolveVersion(api, harness, command.version);
      const route = `${base}/versions/${version}/revoke`;
      const refused = `${harness} ${shortVersion(version)} was not revoked.`;
      const done = `${harness} ${shortVersion(version)} is revoked for good; channels that served it went back to what they served before`;
      return { method: "POST", route, body: { reason: command.reason }, refused, done };
    }
  }
}

function queryOf(merchant: string): string {
  return `?merchant=${encodeURIComponent(merchant)}`;
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
