/** Keys of endpoints. A key is in no error, log or answer: what went wrong is said by name. */
import type { EndpointConfig } from "../../shared/contract/endpoint.ts";
import { fail, ok, type Result } from "../../shared/core/result.ts";

export type KeyFailure =
  /** The deployment has no such secret. */
  | "key_missing"
  /** The secret is not an origin, a space, and a key of visible ASCII, which is all that a header may carry. */
  | "key_malformed"
  /** The secret holds a key for another origin than the endpoint's. */
  | "key_for_other_origin";

/**
 * Reads the key of an endpoint; `""` for one without a key.
 *
 * The secret is `<origin> <key>`, as `https://api.example.com sk-…`: the deployment says where a key may go, and no
 * operator can send it elsewhere by changing the endpoint's address.
 */
export function readEndpointKey(
  env: Env,
  { keyBinding, baseUrl }: Pick<EndpointConfig, "keyBinding" | "baseUrl">,
): Result<string, KeyFailure> {
  if (keyBinding === undefined) return ok("");
  // The schema lets only INFERENCE_KEY_* through; no other binding may be taken for a key, whatever a stored row says.
  const secret: unknown = keyBinding.startsWith("INFERENCE_KEY_") ? Reflect.get(env, keyBinding) : undefined;
  if (typeof secret !== "string" || secret.trim() === "") return fail("key_missing");
  const [origin, key] = /^(\S+) +([\x21-\x7e]+)$/.exec(secret.trim())?.slice(1) ?? [];
  if (origin === undefined || key === undefined || !isOrigin(origin)) return fail("key_malformed");
  return new URL(origin).origin === new URL(baseUrl).origin ? ok(key) : fail("key_for_other_origin");
}

/** Without a path: a key is for all of a server, and a path would look as if it were for a part of it. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, href, origin } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && href === `${origin}/`;
}
