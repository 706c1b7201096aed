import { describe, it } from "vitest";
import { runTurnCommand } from "../../../../../workers/cli/room/turn-command.ts";
import { parseTurn } from "../../../../../workers/cli/room/turn-options.ts";
import { aTurnRecord } from "../../../../helpers/turn-records.ts";
import { aReplay } from "./a-replay.ts";

const V = "b".repeat(64);
const TURN = "GET /v1/rooms/r1/turns/t12";
const REPLAY = "POST /v1/rooms/r1/turns/t12/replay";
const VERSIONS = "GET /v1/harnesses/live-host/versions";
const { room, turn, messages, acceptedAtMs } = aTurnRecord();
const OPEN = {
  schema: "kaibo.open-turn/1",
  status: "waiting",
  attempt: 0,
  sentences: [],
  room,
  turn,
  messages,
  acceptedAtMs,
};

describe("runTurnCommand", () => {
  it("shows a turn for people", async ({ expect }) => {
    const { printed } = await run("show r1 t12", { [TURN]: aTurnRecord() });
    expect(printed).toMatch(/^t12 in r1: answered\n/);
  });

  it("prints the answer as one line of JSON when asked to", async ({ expect }) => {
    const shown = await run("show r1 t12 --json", { [TURN]: aTurnRecord() });
    expect(JSON.parse(shown.printed)).toEqual(aTurnRecord());
    const replayed = await run("replay r1 t12 --json", { [REPLAY]: aReplay() });
    expect(JSON.parse(replayed.printed)).toEqual(aReplay());
    expect(replayed.printed.match(/\n/g)).toHaveLength(1);
  });

  it("replays on what the room would get now, and names a channel, a harness or live tools only when asked to", async ({
    expect,
  }) => {
    const plain = await run("replay r1 t12", { [REPLAY]: aReplay() });
    expect(plain.sent).toEqual([[REPLAY, { onTools: "recorded" }]]);
    expect(plain.printed).toContain("replayed: live-host@bbbbbbbb");
    const named = await run("replay r1 t12 --harness other --channel candidate --live-tools", { [REPLAY]: aReplay() });
    expect(named.sent).toEqual([[REPLAY, { onTools: "live", harness: "other", channel: "candidate" }]]);
  });

  it("takes the first digits of a version of the turn's harness", async ({ expect }) => {
    const { sent } = await run("replay r1 t12 --version bbbbbbb", {
      [TURN]: aTurnRecord(),
      [VERSIONS]: { versions: [aVersion("a".repeat(64)), aVersion(V)], nextCursor: null },
      [REPLAY]: aReplay(),
    });
    expect(sent.at(-1)).toEqual([REPLAY, { onTools: "recorded", version: V }]);
  });

  it("says of a turn that has not ended that it cannot be replayed yet", async ({ expect }) => {
    await expect(run("replay r1 t12 --version bbbbbbb", { [TURN]: OPEN })).rejects.toMatchObject({
      why: "It has not ended: it is waiting.",
      next: "npx kaibo turn show r1 t12",
    });
    const title = "The turn has no record yet: it has not ended";
    const refusal = { code: "turn_not_found", title, status: 404, details: { turn: "t12", status: "waiting" } };
    await expect(run("replay r1 t12", { [REPLAY]: refusal })).rejects.toMatchObject({
      message: "Turn t12 was not replayed.",
      why: expect.stringContaining(title),
      next: "npx kaibo room follow r1 --after 0",
    });
  });

  it("repeats why a version cannot run", async ({ expect }) => {
    const refusal = { code: "harness_revoked", title: "The version was revoked", status: 409, details: {} };
    await expect(run("replay r1 t12", { [REPLAY]: refusal })).rejects.toMatchObject({
      message: "Turn t12 was not replayed.",
      why: "The version was revoked (harness_revoked).",
    });
  });
});

function aVersion(version: string) {
  const facts = { description: "", bytes: 1, createdBy: "li", createdAtMs: 1, parent: null, notes: "" };
  return { version, ...facts, evidence: {}, signature: null, revokedAtMs: null };
}

/** Runs a command against an instance with these answers; one with a `status` of numbers is a refusal. */
async function run(command: string, answers: Readonly<Record<string, object>>) {
  const sent: [call: string, body: unknown][] = [];
  const lines: string[] = [];
  await runTurnCommand(
    parseTurn(command.split(" ")),
    { url: "http://127.0.0.1:8787", token: "t.o.k" },
    {
      out: (text) => void lines.push(text),
      paint: (_style, text) => text,
      columns: null,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const call = `${request.method} ${new URL(request.url).pathname}`;
        sent.push([call, request.body === null ? undefined : await request.json()]);
        const answer = answers[call];
        if (answer === undefined) throw new Error(`${call} was not expected`);
        return Response.json(answer, { status: statusOf(answer) });
      },
    },
  );
  return { sent, printed: lines.join("") };
}

function statusOf(answer: object): number {
  return "status" in answer && typeof answer.status === "number" ? answer.status : 200;
}
