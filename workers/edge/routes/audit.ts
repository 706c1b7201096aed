/** The audit log: who changed the registry, in a chain that anyone who reads it can check. */
import { createRoute, z } from "@hono/zod-openapi";
import { auditPageSchema } from "../../../shared/contract/release.ts";
import { listAudit } from "../../platform/registry-lists.ts";
import { allowForAll } from "../authenticate.ts";
import { BEARER, createRouter, errorAnswers, jsonAnswer } from "../openapi.ts";

const read = createRoute({
  method: "get",
  path: "/v1/audit",
  summary: "Read the audit log, oldest first",
  description:
    "`hash` is the SHA-256 of the canonical JSON (RFC 8785) of the other fields; `prevHash` is the hash of the row before, 64 " +
    "zeros before the first.",
  tags: ["audit"],
  security: BEARER,
  middleware: [allowForAll("governor", "operator")] as const,
  request: {
    query: z.object({
      after: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
  },
  responses: {
    200: jsonAnswer(auditPageSchema, "A page of rows"),
    ...errorAnswers("invalid_request", "registry_unavailable"),
  },
});

export const auditRoutes = createRouter().openapi(read, async (c) => {
  const page = c.req.valid("query");
  const rows = await listAudit(c.env, page);
  const last = rows.length === page.limit ? rows.at(-1) : undefined;
  return c.json({ rows, nextAfter: last?.seq ?? null }, 200);
});
