/** Which endpoint a room asks first: always the same one, so that it finds its prompts in that server's cache. */

/**
 * Orders endpoints for a room by rendezvous hashing (Thaler and Ravishankar, 1998): every endpoint is some room's first
 * choice about equally often, and when one goes, only its own rooms move.
 */
export function rankEndpoints<Item extends { readonly name: string }>(
  room: string,
  endpoints: readonly Item[],
): readonly Item[] {
  if (endpoints.length < 2) return endpoints;
  return endpoints
    .map((endpoint) => ({ endpoint, score: hash(`${endpoint.name}\n${room}`) }))
    .toSorted((a, b) => b.score - a.score || (a.endpoint.name < b.endpoint.name ? -1 : 1))
    .map(({ endpoint }) => endpoint);
}

/** FNV-1a over UTF-16 units, then the finisher of MurmurHash3, without which names that differ at their end score alike. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
