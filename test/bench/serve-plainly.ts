/** The sample harness, made to spend one whole turn on every message: how a room takes messages in is measured elsewhere. */
import { createEdgeApi, type ApiTarget } from "../../workers/cli/edge-api.ts";
import { pushVersion, serveVersion } from "../../workers/cli/harness/serve-version.ts";
import { readSampleBundle } from "../helpers/sample-harness.ts";

/** Serves it to the sample's channel. No message is merged, dropped, or answered without the model. */
export async function servePlainly(target: ApiTarget): Promise<void> {
  const bundle = await readSampleBundle();
  const messages = { ...bundle.messages, merges: false, dropsNoise: false, repeatMs: 0, viewerMessagesMax: 1_000 };
  const api = createEdgeApi(target);
  const { version } = await pushVersion(api, { ...bundle, messages, answersFaq: false });
  await serveVersion(api, { name: bundle.name, channel: "production", version });
}
