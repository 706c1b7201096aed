/**
 * `npm run bench:hour [-- --seed 7 --minutes 60 --silent --json FILE]`: an hour of a busy room, replayed in this process
 * under a virtual clock, and what became of it.
 *
 * Intake, room, turns and hooks are the product's; the sample harness serves the sample room; the offline policy answers at
 * the speed of an inference server. No Worker, no network, no real time: the same seed gives the same figures on every
 * machine, but for the wall time. `--silent`: a room without a voice. Exit code 0 whatever the figures are.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { figuresOf } from "../replay/hour-figures.ts";
import { replayHour } from "../replay/replay-hour.ts";
import { judgeSaid, judgeVoiced } from "../replay/stale-judge.ts";
import { printHour, toVerdicts } from "./hour/print-hour.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "7" },
    minutes: { type: "string", default: "60" },
    silent: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const [seed, minutes, hasVoice] = [Number(values.seed), Number(values.minutes), !values.silent];

const startMs = performance.now();
const replay = await replayHour({ seed, minutes, hasVoice });
const wallMs = Math.round(performance.now() - startMs);
const figures = figuresOf(replay);

console.log(
  `One room, ${minutes} minutes, seed ${seed}, ${hasVoice ? "with" : "without"} a voice: replayed in ${wallMs} ms.\n`,
);
printHour(figures);
const { config, frames, voiced } = replay;
for (const [moment, { stale }] of Object.entries({
  said: judgeSaid(config, frames),
  voiced: judgeVoiced(config, frames, voiced),
})) {
  for (const { kind, turn, seq, claim, text, atMs } of stale) {
    const atS = (atMs - (replay.script[0]?.atMs ?? atMs)) / 1_000;
    console.log(`stale when ${moment}: ${kind} "${claim}" in ${turn}/${seq} at ${atS} s: ${text}`);
  }
}
for (const line of toVerdicts(figures)) console.log(line);
if (values.json !== undefined) {
  await writeFile(
    values.json,
    `${JSON.stringify({ options: values, wallMs, verdicts: toVerdicts(figures), ...figures })}\n`,
  );
}
