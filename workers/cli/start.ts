/** `kaibo start`: the whole product on this machine, until Ctrl-C. */
import { CliError } from "./cli-error.ts";
import { findInstance } from "./local/instance-file.ts";
import { parsePort, requireFreePort } from "./local/port.ts";
import { stateFolderOf } from "./local/project.ts";
import { createStages, formatPageUrl, formatReady, formatUnpushed, type ProgressPorts } from "./start-output.ts";

const STAGES = 4;

/** How long a running instance may take to show that it lives, ms. */
const ANSWER_MS_MAX = 2_000;

export type StartPorts = ProgressPorts & {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes lines of the Worker's log. */
  readonly log: (line: string) => void;
  /** Settles when someone wants the product to end. From the first call on, signals no longer end this process. */
  readonly stopAsked: () => Promise<void>;
};

/**
 * Starts, prints where it is, and returns when it has been ended.
 *
 * @throws CliError - it could not start; nothing of it is left running.
 */
export async function start(ports: StartPorts): Promise<void> {
  const port = parsePort(ports.env["PORT"]);
  const stateFolder = stateFolderOf(ports.env);
  await requireNoInstance(stateFolder);
  await requireFreePort(port);

  ports.out("Kaibo 开播\n");
  try {
    await startAndWait(ports, { port, stateFolder });
  } catch (thrown) {
    // The line of the stage that failed is still open.
    ports.out("failed\n");
    throw thrown;
  }
}

async function startAndWait(ports: StartPorts, where: { port: number; stateFolder: string }): Promise<void> {
  // The runtime's code takes a while to load; what is checked before should not wait for it.
  const { startLocalProduct } = await import("./local-product.ts");
  const { loadSamples } = await import("./load-samples.ts");
  const stage = createStages(ports, STAGES);
  const product = await startLocalProduct({ ...where, env: ports.env, log: ports.log, stage });
  const stopAsked = ports.stopAsked();
  try {
    const endSamples = stage("sample harness and room");
    const { harness, room, folderDiffers } = await loadSamples({ url: product.url, token: product.tokens.operator });
    endSamples(`${harness.name}@${harness.version.slice(0, 8)}, room ${room}`);
    if (folderDiffers) ports.out(formatUnpushed(harness.name));
    ports.out(formatReady(product, room));
    await stopAsked;
    ports.out("\nstopping … ");
  } finally {
    await product.stop();
  }
  ports.out("stopped\n");
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
