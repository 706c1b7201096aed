/** What the operating system says of the runtimes that this process started. Linux only, as the benchmark is. */
import { readFileSync, readdirSync } from "node:fs";

/** Clock ticks a second: `sysconf(_SC_CLK_TCK)`, 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** Process ids of the `workerd` children, direct or not. */
export function runtimePids(): number[] {
  const parents = new Map<number, { parent: number; name: string }>();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(Number(entry));
    if (stat !== null) parents.set(Number(entry), { parent: Number(stat.fields[1]), name: stat.name });
  }
  const descends = (pid: number): boolean => {
    const parent = parents.get(pid)?.parent;
    return parent === process.pid || (parent !== undefined && parent > 1 && descends(parent));
  };
  return [...parents].filter(([pid, { name }]) => name === "workerd" && descends(pid)).map(([pid]) => pid);
}

/** User and system CPU time of a process so far, ms, to 10 ms. */
export function cpuMs(pid: number): number {
  const fields = readStat(pid)?.fields ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_S;
}

/** Resident memory, MiB. */
export function residentMib(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib) / 1_024;
}

/** The name stands in parentheses and may hold spaces; the fields after it are counted from the state on. */
function readStat(pid: number): { name: string; fields: string[] } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return { name: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
  } catch {
    // The process ended while the list was read.
    return null;
  }
}
