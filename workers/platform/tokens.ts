/** Bearer tokens: JWT signed with HMAC-SHA-256, checked by `jose`. */
import { errors, jwtVerify } from "jose";
import { tokenClaimsSchema, type TokenClaims } from "../../shared/contract/token-claims.ts";
import { BoundedCache } from "../../shared/core/bounded-cache.ts";
import { AppError } from "../../shared/errors/app-error.ts";

/** Tokens whose signature this isolate has checked. A room's client sends the same one with every message. */
const checked = new BoundedCache<string, { readonly secret: Uint8Array; readonly claims: TokenClaims }>(1_000);

/**
 * @throws AppError `token_expired` - the signature is right and `exp` has passed.
 * @throws AppError `unauthenticated` - anything else that is wrong with it. The token itself is in no message.
 */
export async function verifyToken(token: string, secret: Uint8Array, nowMs: number): Promise<TokenClaims> {
  const known = checked.get(token);
  if (known !== undefined && known.secret === secret && known.claims.exp * 1_000 > nowMs) return known.claims;
  const claims = tokenClaimsSchema.safeParse(await readPayload(token, secret, nowMs));
  if (!claims.success) throw new AppError("unauthenticated", "The token lacks the claims of a Kaibo token");
  checked.set(token, { secret, claims: claims.data });
  return claims.data;
}

async function readPayload(token: string, secret: Uint8Array, nowMs: number): Promise<unknown> {
  try {
    const verified = await jwtVerify(token, secret, {
      algorithms: ["HS256"],
      issuer: "kaibo",
      requiredClaims: ["exp"],
      currentDate: new Date(nowMs),
    });
    return verified.payload;
  } catch (thrown) {
    if (thrown instanceof errors.JWTExpired)
      throw new AppError("token_expired", "The token has expired; ask for a new one");
    throw new AppError("unauthenticated", "The token is not valid here");
  }
}
