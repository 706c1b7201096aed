/**
 * The dependency rule. Each folder lists the folders it may import; its own files are always allowed.
 * Programs under workers/ never list one another: they meet in workers/index.ts and talk over bindings.
 */
import { describe, it } from "vitest";
import { readSourceFiles } from "./source-files.ts";

const CONTRACTS = ["shared/core", "shared/errors", "shared/contract"];
const LIBRARIES = [
  ...CONTRACTS,
  "shared/speech",
  "shared/agent",
  "shared/offline",
  "shared/inference",
  "shared/intake",
  "shared/strategy",
  "shared/voice",
  "shared/privacy",
  "harness-kv",
];
/** Below every program: adapters of the platform, and the way to the endpoints. */
const ADAPTERS = [...LIBRARIES, "workers/platform", "workers/inference", "workers/voice"];
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  "shared/core": [],
  "shared/errors": ["shared/core"],
  "shared/contract": ["shared/core", "shared/errors"],
  "shared/speech": ["shared/core"],
  "shared/agent": [...CONTRACTS, "shared/speech"],
  "shared/offline": [...CONTRACTS, "shared/agent"],
  "shared/inference": [...CONTRACTS, "shared/agent"],
  "shared/intake": [...CONTRACTS, "shared/agent"],
  "shared/strategy": [...CONTRACTS, "shared/speech", "shared/agent", "shared/intake"],
  "shared/voice": [...CONTRACTS, "shared/speech"],
  "shared/privacy": CONTRACTS,
  /** What programs outside use, browsers included. */
  "shared/client": CONTRACTS,
  "shared/chat": CONTRACTS,
  "harness-kv": [...CONTRACTS, "shared/agent"],
  "workers/platform": LIBRARIES,
  "workers/inference": [...LIBRARIES, "workers/platform"],
  "workers/voice": [...LIBRARIES, "workers/platform"],
  "workers/release": [...LIBRARIES, "workers/platform"],
  "workers/edge": [...ADAPTERS, "workers/release"],
  "workers/room": [...LIBRARIES, "workers/platform"],
  "workers/runner": ADAPTERS,
  "workers/console": [...CONTRACTS, "shared/client"],
  "workers/cli": [...CONTRACTS, "shared/agent", "shared/offline", "shared/client", "shared/chat", "harness-kv"],
};
const files = readSourceFiles();
const layerOf = (path: string) =>
  Object.keys(LAYERS)
    .filter((folder) => path.startsWith(`${folder}/`))
    .toSorted((a, b) => b.length - a.length)[0];

describe("layers", () => {
  it("every file is in a layer, except the composition root", ({ expect }) => {
    expect(files.map((file) => file.path).filter((path) => layerOf(path) === undefined)).toEqual(["workers/index.ts"]);
  });

  it("no file imports a folder that its layer does not list", ({ expect }) => {
    const broken = files.flatMap((file) => {
      const layer = layerOf(file.path);
      if (layer === undefined) return [];
      return file.imports
        .filter(({ target }) => layerOf(target) !== layer && !LAYERS[layer]?.includes(layerOf(target) ?? ""))
        .map(({ target }) => `${file.path} -> ${target}`);
    });
    expect(broken).toEqual([]);
  });

  it("imports form no cycle, types included", ({ expect }) => {
    expect(findCycle(new Map(files.map((file) => [file.path, file.imports.map(({ target }) => target)])))).toEqual([]);
  });
});

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of graph.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle.length > 0) return cycle;
    }
    done.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const cycle = visit(path, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
