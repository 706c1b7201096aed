/** Answers of the endpoint routes, as far as the commands read them. */
import { z } from "zod";
import { endpointCapabilitiesSchema, endpointConfigSchema } from "../../shared/contract/endpoint.ts";
import { endpointStatusSchema } from "../../shared/contract/endpoint-status.ts";

export const endpointViewSchema = z.object({
  name: z.string(),
  /** `settings`: from the deployment's variables, and so never checked. */
  source: z.enum(["stored", "settings"]),
  config: endpointConfigSchema,
  capabilities: endpointCapabilitiesSchema.nullable(),
  revision: z.int().nullable(),
  updatedBy: z.string(),
  updatedAtMs: z.int(),
  /** `null`: nobody has asked for it since its object started, or it did not answer. */
  status: endpointStatusSchema.nullable(),
});
export type EndpointView = z.infer<typeof endpointViewSchema>;

export const endpointListSchema = z.object({ endpoints: z.array(endpointViewSchema) });

const findingSchema = z.object({ field: z.string(), reason: z.string() });
export type Finding = z.infer<typeof findingSchema>;

/** A server that was refused is not saved; what it lacks is told in `warnings`. */
export const savedEndpointSchema = endpointViewSchema.extend({ warnings: z.array(findingSchema).default([]) });
export type SavedEndpoint = z.infer<typeof savedEndpointSchema>;

export const checkedEndpointSchema = endpointViewSchema.extend({
  problems: z.array(findingSchema),
  warnings: z.array(findingSchema),
});
export type CheckedEndpoint = z.infer<typeof checkedEndpointSchema>;
