/**
 * The copy of all endpoints in KV, which turns read: near every location, where D1 is in one place.
 *
 * KV shows a write at once where it was made, and within 60 s elsewhere.
 * Source: https://developers.cloudflare.com/kv/concepts/how-kv-works/#consistency
 */
import { z } from "zod";
import { ENDPOINTS_KEY } from "../../harness-kv/keys.ts";
import { ENDPOINTS_MAX } from "../../shared/contract/endpoint.ts";
import { parseJson } from "../../shared/core/json.ts";
import { pause } from "../../shared/core/timer.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemTimer } from "../platform/system-clock.ts";
import { withinMs } from "../platform/within-ms.ts";
import { listEndpoints, storedEndpointSchema, type StoredEndpoint } from "./endpoint-table.ts";

/** Seconds that a location may keep the document: the least that KV takes. */
const CACHE_TTL_S = 30;

/** Seconds after which KV forgets the document, and a reader copies the table again: what a failed write leaves behind ends. */
const DOCUMENT_TTL_S = 600;

/** Longest wait for KV, ms. Beyond it D1 is asked. */
const KV_MS_MAX = 800;

/** KV takes one write a second to one key. Source: https://developers.cloudflare.com/kv/platform/limits/ */
const WRITE_PAUSE_MS = 1_100;

const documentSchema = z.strictObject({ endpoints: z.array(storedEndpointSchema).max(ENDPOINTS_MAX) });

/** The endpoints as KV has them; `null` where it has none, a broken document, or no answer in time. Never throws. */
export async function readDocument(kv: KVNamespace): Promise<readonly StoredEndpoint[] | null> {
  try {
    const reading = kv.get(ENDPOINTS_KEY, { type: "text", cacheTtl: CACHE_TTL_S });
    const text = await withinMs(KV_MS_MAX, reading, null);
    return text === null ? null : documentSchema.parse(parseJson(text)).endpoints;
  } catch (thrown) {
    reportFailure("endpoint-document", "registry_unavailable", thrown);
    return null;
  }
}

/**
 * Copies the table into KV, until the table is what was copied: of two that publish at the same time, the later one's
 * document may be the older one.
 *
 * @throws AppError `registry_unavailable` - the document was not written in `triesMax` tries, or D1 did not answer.
 */
export async function publishDocument(env: Env, triesMax: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const text = await documentText(env);
    const isWritten = await writeDocument(env.HARNESS_KV, text);
    if (isWritten && text === (await documentText(env))) return;
    if (tries >= triesMax) throw new AppError("registry_unavailable", "The copy of the endpoints was not written");
    await pause(systemTimer, WRITE_PAUSE_MS);
  }
}

async function documentText(env: Env): Promise<string> {
  return JSON.stringify({ endpoints: await listEndpoints(env) });
}

async function writeDocument(kv: KVNamespace, text: string): Promise<boolean> {
  try {
    await kv.put(ENDPOINTS_KEY, text, { expirationTtl: DOCUMENT_TTL_S });
    return true;
  } catch (thrown) {
    reportFailure("endpoint-document", "registry_unavailable", thrown);
    return false;
  }
}
