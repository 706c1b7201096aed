/** The whole product for a test: the built Worker in workerd, on a free port, with data of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { InstanceTokens } from "../../workers/cli/local/dev-tokens.ts";
import { startLocalProduct } from "../../workers/cli/local/local-product.ts";
import { loadSamples } from "../../workers/cli/local/load-samples.ts";

export type ProductOptions = {
  /** `INFERENCE_BASE_URL` and the like. Absent: the offline policy answers, whatever this machine's settings are. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False: no harness and no room. */
  readonly samples?: boolean;
  /** Another entry than the product's: see `buildProduct`. */
  readonly entry?: string;
  /** Takes what the Worker logs. */
  readonly log?: (line: string) => void;
};

export type RunningProduct = {
  readonly url: string;
  readonly tokens: InstanceTokens;
  /** Ends the product and removes its data. */
  readonly stop: () => Promise<void>;
};

/** Set but empty, these hide what the shell or `.dev.vars` of this machine may say. */
const NO_ENDPOINT = {
  INFERENCE_BASE_URL: "",
  INFERENCE_MODEL: "",
  INFERENCE_API_KEY: "",
  SPEECH_BASE_URL: "",
  SPEECH_MODEL: "",
  SPEECH_VOICE: "",
  SPEECH_API_KEY: "",
  TOOL_ORIGINS: "",
};
export const TOKEN_SECRET = "a secret of tests, which sign and check tokens with it";

/** Starts the product. The first call after a change of the sources builds them, which takes some seconds. */
export async function startProduct(options: ProductOptions = {}): Promise<RunningProduct> {
  const stateFolder = await mkdtemp(path.join(tmpdir(), "kaibo-product-"));
  const removeData = () => rm(stateFolder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const { url, tokens, stop } = await startLocalProduct({
      port: 0,
      stateFolder,
      env: { ...NO_ENDPOINT, INFERENCE_KIND: "vllm", TOKEN_SECRET, ...options.settings },
      ...(options.entry !== undefined && { entry: options.entry }),
      ...(options.log !== undefined && { log: options.log }),
    });
    const end = async () => {
      await stop();
      await removeData();
    };
    try {
      if (options.samples ?? true) await loadSamples({ url, token: tokens.operator });
    } catch (thrown) {
      await end();
      throw thrown;
    }
    return { url, tokens, stop: end };
  } catch (thrown) {
    await removeData();
    throw thrown;
  }
}
