/** `kaibo start`: the whole product on this machine, until Ctrl-C. */
import { CliError } from "../cli-error.ts";
import { findInstance, instanceFileOf } from "./instance-file.ts";
import { parsePort, requireFreePort } from "./port.ts";
import { stateFolderOf } from "./project.ts";
import { createStages, formatPageUrl, formatReady, formatUnpushed, toReadyFacts } from "./start-output.ts";

const STAGES = 4;

/** How long a running instance may take to show that it lives, ms. */
const ANSWER_MS_MAX = 2_000;

export type StartPorts = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Takes text for standard error: the Worker's log. */
  readonly err: (text: string) => void;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  /** Settles when someone wants the product to end. From the first call on, signals no longer end this process. */
  readonly stopAsked: () => Promise<void>;
};

/** Where to start, and who is told how it goes; with `--json` standard output is for programs. */
type Launch = {
  readonly port: number;
  readonly stateFolder: string;
  readonly json: boolean;
  readonly say: StartPorts["out"];
};

/**
 * Starts, prints where it is, and returns when it has been ended.
 *
 * @throws CliError - it could not start; nothing of it is left running.
 */
export async function start({ json }: { readonly json: boolean }, ports: StartPorts): Promise<void> {
  const port = parsePort(ports.env["PORT"]);
  const stateFolder = stateFolderOf(ports.env);
  await requireNoInstance(stateFolder);
  await requireFreePort(port);

  const say = json ? ports.err : ports.out;
  say("Kaibo 开播\n");
  try {
    await startAndWait(ports, { port, stateFolder, json, say });
  } catch (thrown) {
    // The line of the stage that failed is still open.
    say("failed\n");
    throw thrown;
  }
}

async function startAndWait(ports: StartPorts, { port, stateFolder, json, say }: Launch): Promise<void> {
  // The runtime's code takes a while to load; what is checked before should not wait for it.
  const { startLocalProduct } = await import("./local-product.ts");
  const { loadSamples } = await import("./load-samples.ts");
  const { env, err, nowMs } = ports;
  const stage = createStages({ out: say, nowMs }, STAGES);
  const product = await startLocalProduct({ port, stateFolder, env, log: (line) => err(`${line}\n`), stage });
  const stopAsked = ports.stopAsked();
  try {
    const endSamples = stage("sample harness and room");
    const { harness, room, folderDiffers } = await loadSamples({ url: product.url, token: product.tokens.operator });
    endSamples(`${harness.name}@${harness.version.slice(0, 8)}, room ${room}`);
    if (folderDiffers) say(formatUnpushed(harness.name));
    const facts = toReadyFacts(product, { room, harness, stateFolder, tokensFile: instanceFileOf(stateFolder) });
    ports.out(json ? `${JSON.stringify(facts)}\n` : formatReady(product, room));
    await stopAsked;
    say("\nstopping … ");
  } finally {
    await product.stop();
  }
  say("stopped\n");
}

/** Two runtimes on the same files would break them. */
async function requireNoInstance(stateFolder: string): Promise<void> {
  const other = await findInstance(stateFolder);
  if (other === null || !(await answers(other.url))) return;
  throw new CliError(`Kaibo already runs at ${other.url}.`, {
    why: `Process ${other.pid} uses the rooms in ${stateFolder}, and two must not.`,
    next: `Open ${formatPageUrl(other.url, other.tokens.page)}, or end it (kill ${other.pid}). A second one beside it: KAIBO_STATE_DIR=/tmp/kaibo-2 PORT=8788 npm start`,
  });
}

/** A killed instance leaves its file behind, and its process number may be another program's by now. */
async function answers(url: string): Promise<boolean> {
  try {
    await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    return true;
  } catch {
    return false;
  }
}
