/** The whole Worker over a KV that is a minute behind: what is read is what was there `LAG_MS` ago, absence included. */
import product from "../../../workers/index.ts";
import * as real from "../../../workers/index.ts";

/** KV may serve old values for 60 s or more. Source: https://developers.cloudflare.com/kv/concepts/how-kv-works/ */
const LAG_MS = 60_000;

type Stamp = { readonly writtenAtMs: number; readonly own: unknown };
type Found = { readonly value: string | null; readonly metadata: Stamp | null };

/** Of what the product calls: `get` and `getWithMetadata` of text, `put` of text, `delete`. */
function lag(kv: KVNamespace) {
  const read = async (key: string): Promise<Found> => {
    const newest = await kv.getWithMetadata<Stamp>(key);
    const isVisible = newest.metadata === null || newest.metadata.writtenAtMs + LAG_MS <= Date.now();
    return isVisible ? newest : kv.getWithMetadata<Stamp>(`old:${key}`);
  };
  return {
    get: async (key: string) => (await read(key)).value,
    getWithMetadata: async (key: string) => {
      const { value, metadata } = await read(key);
      return { value, metadata: metadata?.own ?? null, cacheStatus: null };
    },
    async put(key: string, value: string, { metadata: own = null }: { metadata?: unknown } = {}) {
      const seen = await read(key);
      if (seen.value !== null) await kv.put(`old:${key}`, seen.value, { metadata: seen.metadata });
      await kv.put(key, value, { metadata: { writtenAtMs: Date.now(), own } satisfies Stamp });
    },
    delete: (key: string) => kv.delete(key),
  };
}

function behind(env: Env): Env {
  return { ...env, HARNESS_KV: lag(env.HARNESS_KV) as unknown as KVNamespace };
}

export class LiveRoom extends real.LiveRoom {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, behind(env));
  }
}

export class EndpointAdmission extends real.EndpointAdmission {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, behind(env));
  }
}

export class HarnessRollout extends real.HarnessRollout {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, behind(env));
  }
}

export class RoomTeller extends real.RoomTeller {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, behind(env));
  }
}

export class TurnRunner extends real.TurnRunner {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, behind(env));
  }
}

export default {
  fetch: (request, env, ctx) => product.fetch(request, behind(env), ctx),
} satisfies ExportedHandler<Env>;
