/** Tokens for this machine's instance: the same JWTs that a deployment's issuer would sign. */
import { SignJWT } from "jose";
import type { Audience } from "../../../shared/contract/token-claims.ts";

/** How long the tokens of `npm start` last, ms. They end with the secret, and the secret never leaves the machine. */
const INSTANCE_TOKEN_TTL_MS = 30 * 86_400_000;

/** One token a kind of user. `page`: what the person at the page may do, which is everything but a governor's work. */
export type InstanceTokens = {
  readonly room: string;
  readonly operator: string;
  readonly analyst: string;
  readonly viewer: string;
  readonly governor: string;
  readonly page: string;
};

export type TokenRequest = {
  readonly audiences: readonly Audience[];
  /** One room's id, or `*`. */
  readonly room: string;
  readonly subject: string;
  readonly ttlMs: number;
};

export async function signToken(secret: string, nowMs: number, request: TokenRequest): Promise<string> {
  const nowS = Math.floor(nowMs / 1_000);
  return new SignJWT({ room: request.room })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer("kaibo")
    .setSubject(request.subject)
    .setAudience([...request.audiences])
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + Math.ceil(request.ttlMs / 1_000))
    .sign(new TextEncoder().encode(secret));
}

/** Signs the tokens that a local instance hands to the page, the command line and tests; each is for every room. */
export async function signInstanceTokens(secret: string, nowMs: number): Promise<InstanceTokens> {
  const sign = (subject: string, ...audiences: readonly Audience[]) =>
    signToken(secret, nowMs, { audiences, room: "*", subject, ttlMs: INSTANCE_TOKEN_TTL_MS });
  return {
    room: await sign("local-room", "room"),
    operator: await sign("local-operator", "operator"),
    analyst: await sign("local-analyst", "analyst"),
    viewer: await sign("local-viewer", "viewer"),
    governor: await sign("local-governor", "governor"),
    page: await sign("local-page", "room", "operator", "analyst"),
  };
}
