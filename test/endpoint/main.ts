/**
 * An inference endpoint that is none: its own process, on this machine only. Says where it listens in its first line,
 * `endpoint: http://127.0.0.1:<port>/v1`; with `--json`, as one object. README.md has the options.
 */
import { readFileSync } from "node:fs";
import type { Clock } from "../../shared/core/clock.ts";
import type { Timer } from "../../shared/core/timer.ts";
import { systemTimer } from "../../workers/platform/system-clock.ts";
import { Emulator } from "./emulator.ts";
import { parseFlags } from "./options.ts";
import { createEmulatorServer } from "./server.ts";
import { parseTrace } from "./trace.ts";

/** Fractions of a millisecond, and no jumps when the wall clock is set. */
const time: Clock & Timer = { ...systemTimer, nowMs: () => performance.timeOrigin + performance.now() };

const flags = parseFlags(process.argv.slice(2));
if (flags.ok) {
  const { options, asJson } = flags.value;
  const recordings = options.trace === "" ? [] : parseTrace(readFileSync(options.trace, "utf8"));
  const server = createEmulatorServer(new Emulator(options, time, recordings));
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  server.listen(options.port, "127.0.0.1", () => {
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const url = `http://127.0.0.1:${port}/v1`;
    process.stdout.write(asJson ? `${JSON.stringify({ url, port })}\n` : `endpoint: ${url}\n`);
  });
} else {
  process.stderr.write(`${flags.error}\nOptions: test/endpoint/README.md\n`);
  process.exitCode = 2;
}

// Started by a test: the channel to it closes when it ends, in whatever way.
process.on("disconnect", () => process.exit(0));
