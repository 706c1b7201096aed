/** `kaibo turn`: what a turn was, and what it would be on another version. */
import { turnReplaySchema } from "../../../shared/contract/replay.ts";
import { turnViewSchema, type TurnView } from "../../../shared/contract/room-view.ts";
import type { Result } from "../../../shared/core/result.ts";
import { roomPath } from "../../../shared/client/room-api.ts";
import { CliError } from "../cli-error.ts";
import { createEdgeApi, expectOk, type ApiTarget, type EdgeApi, type Refusal } from "../edge-api.ts";
import { resolveVersion } from "../harness/find-version.ts";
import type { Paint } from "../harness/harness-output.ts";
import type { TurnCommand } from "./turn-options.ts";
import { formatReplay, formatTurn } from "./turn-output.ts";

export type TurnPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  readonly paint: Paint;
  /** Of the terminal; `null` for a pipe or a file. */
  readonly columns: number | null;
  readonly fetch?: typeof fetch;
};

/**
 * Runs the command and prints its outcome: for people, or as one line of JSON.
 *
 * @throws CliError - there is no such turn or version, or the instance refused.
 */
export async function runTurnCommand(command: TurnCommand, target: ApiTarget, ports: TurnPorts): Promise<void> {
  const api = createEdgeApi(target, ports.fetch);
  const { paint, columns } = ports;
  if (command.action === "show") {
    const view = await readTurn(api, command);
    return ports.out(command.json ? line(view) : formatTurn(view, paint));
  }
  const { harness, channel, onTools } = command;
  const version = command.version === undefined ? {} : { version: await versionOf(api, command, command.version) };
  const body = {
    onTools,
    ...version,
    ...(harness !== undefined && { harness }),
    ...(channel !== undefined && { channel }),
  };
  const replayed = await api.call("POST", `${pathOf(command)}/replay`, { body, answer: turnReplaySchema });
  const replay = expectTurn(replayed, `Turn ${command.turn} was not replayed.`, command);
  ports.out(command.json ? line(replay) : formatReplay(replay, { columns, paint }));
}

/** First digits are those of a version of the harness that is named, else of the one that the turn ran on. */
async function versionOf(
  api: EdgeApi,
  command: Extract<TurnCommand, { action: "replay" }>,
  ref: string,
): Promise<string> {
  if (command.harness !== undefined) return resolveVersion(api, command.harness, ref);
  const view = await readTurn(api, command);
  if (view.schema === "kaibo.turn/1") return resolveVersion(api, view.harness.name, ref);
  throw new CliError(`Turn ${command.turn} was not replayed.`, {
    why: `It has not ended: it is ${view.status}.`,
    next: `npx kaibo turn show ${command.room} ${command.turn}`,
  });
}

async function readTurn(api: EdgeApi, asked: TurnCommand): Promise<TurnView> {
  const loaded = await api.call("GET", pathOf(asked), { answer: turnViewSchema });
  return expectTurn(loaded, `Turn ${asked.turn} could not be read.`, asked);
}

function expectTurn<Value>(result: Result<Value, Refusal>, what: string, { room }: TurnCommand): Value {
  if (result.ok || result.error.code !== "turn_not_found") return expectOk(result, what);
  throw new CliError(what, {
    why: `${result.error.title} (turn_not_found).`,
    next: `npx kaibo room follow ${room} --after 0`,
  });
}

function pathOf({ room, turn }: TurnCommand): string {
  return `${roomPath(room)}/turns/${turn}`;
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
