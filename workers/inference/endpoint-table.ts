/** The inference endpoints in D1, which has the truth. Which of them turns use: endpoint-directory.ts. */
import { and, asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { z } from "zod";
import { endpoint } from "../../harness-kv/schema.ts";
import {
  ENDPOINTS_MAX,
  endpointSchema,
  type EndpointCapabilities,
  type EndpointConfig,
} from "../../shared/contract/endpoint.ts";
import { parseJson } from "../../shared/core/json.ts";
import { AppError } from "../../shared/errors/app-error.ts";
import { query } from "../platform/query.ts";
import { reportFailure } from "../platform/report-failure.ts";
import { systemClock } from "../platform/system-clock.ts";

export const storedEndpointSchema = z.strictObject({
  ...endpointSchema.shape,
  /** Counts the writes, from 1. */
  revision: z.int().min(1),
});
export type StoredEndpoint = z.infer<typeof storedEndpointSchema>;

export type EndpointChange = {
  readonly name: string;
  readonly config: EndpointConfig;
  readonly capabilities: EndpointCapabilities | null;
  readonly updatedBy: string;
  /** The revision that the caller saw. Absent: whatever is there is replaced. */
  readonly expectedRevision?: number | undefined;
};

/**
 * All endpoints by name, disabled ones too. A row that does not fit its schema is reported and left out, so that it takes
 * no other down with it.
 *
 * @throws AppError `registry_unavailable`
 */
export async function listEndpoints(env: Env): Promise<readonly StoredEndpoint[]> {
  const select = drizzle(env.REGISTRY_DB).select().from(endpoint);
  const rows = await query(() => select.orderBy(asc(endpoint.name)).limit(ENDPOINTS_MAX));
  return rows.map(toStored).filter((row) => row !== null);
}

/** @throws AppError `registry_unavailable` */
export async function findEndpoint(env: Env, name: string): Promise<StoredEndpoint | null> {
  const select = drizzle(env.REGISTRY_DB).select().from(endpoint);
  const [row] = await query(() => select.where(eq(endpoint.name, name)).limit(1));
  return row === undefined ? null : toStored(row);
}

/**
 * Adds an endpoint or replaces it.
 *
 * @throws AppError `endpoints_full` - it would be one more than `ENDPOINTS_MAX`.
 * @throws AppError `endpoint_changed` - it has another revision than the caller saw, or is gone.
 * @throws AppError `registry_unavailable`
 */
export async function writeEndpoint(env: Env, change: EndpointChange): Promise<StoredEndpoint> {
  const { name, updatedBy, expectedRevision } = change;
  const values = {
    config: JSON.stringify(change.config),
    capabilities: change.capabilities === null ? null : JSON.stringify(change.capabilities),
    updatedBy,
  };
  const nowMs = systemClock.nowMs();
  // A clock that is behind must not make a newer configuration look older.
  const next = {
    updatedAtMs: sql`max(${nowMs}, ${endpoint.updatedAtMs} + 1)`,
    revision: sql`${endpoint.revision} + 1`,
  };
  const db = drizzle(env.REGISTRY_DB);
  const statement =
    expectedRevision === undefined
      ? db
          .insert(endpoint)
          .select(
            sql`select ${name}, ${values.config}, ${values.capabilities}, ${updatedBy}, ${nowMs}, 1 where ${hasRoomFor(name)}`,
          )
          .onConflictDoUpdate({ target: endpoint.name, set: { ...values, ...next } })
      : db
          .update(endpoint)
          .set({ ...values, ...next })
          .where(and(eq(endpoint.name, name), eq(endpoint.revision, expectedRevision)));
  const [row] = await query(() => statement.returning());
  if (row !== undefined) return storedEndpointSchema.parse(parseRow(row));
  if (expectedRevision !== undefined) throw changed(name, expectedRevision);
  throw new AppError("endpoints_full", "There are as many endpoints as may be; remove one first", {
    details: { endpointsMax: ENDPOINTS_MAX },
  });
}

/** @throws AppError `endpoint_not_found`, `registry_unavailable` */
export async function deleteEndpoint(env: Env, name: string): Promise<void> {
  const remove = drizzle(env.REGISTRY_DB).delete(endpoint).where(eq(endpoint.name, name));
  const rows = await query(() => remove.returning({ name: endpoint.name }));
  if (rows.length === 0) throw new AppError("endpoint_not_found", "There is no stored endpoint of this name");
}

/** In the statement itself: of two operators who add the last one, one is refused. */
function hasRoomFor(name: string) {
  return sql`exists (select 1 from ${endpoint} where ${endpoint.name} = ${name})
    or (select count(*) from ${endpoint}) < ${ENDPOINTS_MAX}`;
}

function changed(name: string, expectedRevision: number): AppError {
  return new AppError("endpoint_changed", "The endpoint has changed since; read it again", {
    details: { name, expectedRevision },
  });
}

type Row = typeof endpoint.$inferSelect;

function toStored(row: Row): StoredEndpoint | null {
  const parsed = storedEndpointSchema.safeParse(parseRow(row));
  if (parsed.success) return parsed.data;
  reportFailure(`endpoint-table ${row.name}`, "internal", parsed.error);
  return null;
}

function parseRow(row: Row) {
  const capabilities = row.capabilities === null ? null : parseJson(row.capabilities);
  return { ...row, config: parseJson(row.config), capabilities };
}
