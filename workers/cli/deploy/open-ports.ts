/** What `kaibo deploy` does outside of itself: Wrangler, files beside `wrangler.toml`, the page's build, the deployed Worker. */
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DeployPorts } from "./deploy-command.ts";
import { runNode } from "../local/build-product.ts";
import { ROOT } from "../local/project.ts";
import { loadTokenSecret } from "./token-secret.ts";
import { runWrangler } from "./wrangler.ts";

/** How long one question whether the Worker answers may take, ms. */
const QUESTION_MS_MAX = 5_000;

export const deployPorts: Pick<
  DeployPorts,
  "wrangler" | "buildPage" | "readConfig" | "files" | "loadSecret" | "answers"
> = {
  wrangler: runWrangler,
  loadSecret: loadTokenSecret,
  buildPage: () => runNode(["workers/console/build.ts"]),
  async readConfig() {
    const { experimental_readRawConfig: readRaw } = await import("wrangler");
    const read: { readonly rawConfig: unknown } = readRaw({ config: path.join(ROOT, "wrangler.toml") });
    return read.rawConfig;
  },
  files: {
    write: (name, text) => writeFile(path.join(ROOT, name), text),
    remove: (name) => rm(path.join(ROOT, name), { force: true }),
  },
  async answers(url) {
    try {
      const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(QUESTION_MS_MAX) });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  },
};
