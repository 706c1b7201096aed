import type { StrategyPolicy } from "../contract/strategy.ts";

/**
 * The endpoints that a harness wants for its strategies, in the order in which they came. A wish that no endpoint of the
 * deployment meets is no wish: a harness does not know where it will run.
 */
export function preferEndpoints<Each extends { readonly name: string; readonly tier: string }>(
  endpoints: readonly Each[],
  wish: StrategyPolicy["model"],
): readonly Each[] {
  const named = endpoints.filter(({ name }) => name === wish?.endpoint);
  if (named.length > 0) return named;
  const ofTier = endpoints.filter(({ tier }) => tier === wish?.tier);
  return ofTier.length > 0 ? ofTier : endpoints;
}
