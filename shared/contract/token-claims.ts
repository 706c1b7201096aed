/** Who may call what: one audience a kind of user, bound to one room or to all. */
import { z } from "zod";

/**
 * `room`: the streaming client of a live room; `operator`: harness and rooms; `analyst`: records; `viewer`: public frames;
 * `governor`: what operators must not decide themselves, such as results of the gate, and other people's freezes.
 */
export const audienceSchema = z.enum(["room", "operator", "analyst", "viewer", "governor"]);
export type Audience = z.infer<typeof audienceSchema>;

/** Claims of a bearer token (JWT, HS256), beside the registered `exp` and `iat`. */
export const tokenClaimsSchema = z.looseObject({
  iss: z.literal("kaibo"),
  sub: z.string().min(1).max(128),
  aud: z.union([audienceSchema.transform((audience) => [audience]), z.array(audienceSchema).min(1)]),
  /** The one room that the token is for, or `*`. */
  room: z.string().min(1).max(64),
  exp: z.number(),
});
export type TokenClaims = z.infer<typeof tokenClaimsSchema>;
