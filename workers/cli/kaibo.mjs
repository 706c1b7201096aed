#!/usr/bin/env node
/**
 * The command `kaibo`. Under whatever Node it was called, it installs what is missing and hands over to `kaibo.ts`
 * under the project's own Node. No syntax after 2019, as in `ensure-installed.mjs`.
 */
import { spawn } from "child_process";
import { fileURLToPath } from "url";
import { ensureInstalled, ownNode } from "./ensure-installed.mjs";

const PROGRAM = fileURLToPath(new URL("./kaibo.ts", import.meta.url));
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

async function main() {
  const failure = await ensureInstalled((line) => process.stderr.write("kaibo: " + line + "\n"));
  if (failure !== null) {
    process.stderr.write("kaibo: " + failure);
    process.exitCode = 1;
    return;
  }
  const args = ["--disable-warning=ExperimentalWarning", PROGRAM].concat(process.argv.slice(2));
  // The channel tells the program when this process is gone, even by a signal that nobody can handle.
  const child = spawn(ownNode(), args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // The program decides when to end; this process only waits for it.
  SIGNALS.forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.once("close", (code, signal) => {
    process.exitCode = code === null ? 1 : code;
    if (signal !== null) process.stderr.write("kaibo: ended by " + signal + "\n");
    SIGNALS.forEach((name) => process.removeAllListeners(name));
  });
}

void main();
