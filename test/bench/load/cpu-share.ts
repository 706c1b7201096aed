/** How busy the machine is during a load: above some share, latencies are the machine's and no longer the product's. */
import { availableParallelism, cpus } from "node:os";
import { cpuMs } from "../../helpers/process-figures.ts";

/** Share of all cores above which a load counts as bound by them. */
export const CPU_SHARE_MAX = 0.8;

/** Shares of all cores, 0 to 1. */
export type CpuShares = {
  readonly client: number;
  readonly workerd: number;
  readonly emulator: number;
  /** Whatever else runs on the machine. */
  readonly others: number;
};

/** Starts to measure; the function gives the shares since. */
export function watchCpu(pids: { readonly workerd: number; readonly emulators: readonly number[] }): () => CpuShares {
  const read = () => ({
    atMs: performance.now(),
    client: cpuMs(process.pid),
    workerd: cpuMs(pids.workerd),
    emulator: pids.emulators.reduce((sum, pid) => sum + cpuMs(pid), 0),
    machine: machineBusyMs(),
  });
  const before = read();
  return () => {
    const after = read();
    const coreMs = (after.atMs - before.atMs) * availableParallelism();
    const share = (name: "client" | "workerd" | "emulator" | "machine") => (after[name] - before[name]) / coreMs;
    const [client, workerd, emulator] = [share("client"), share("workerd"), share("emulator")];
    return { client, workerd, emulator, others: Math.max(0, share("machine") - client - workerd - emulator) };
  };
}

export function busyShare({ client, workerd, emulator, others }: CpuShares): number {
  return client + workerd + emulator + others;
}

function machineBusyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
