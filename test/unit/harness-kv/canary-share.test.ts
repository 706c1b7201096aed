import { describe, it } from "vitest";
import { isInShare } from "../../../harness-kv/canary-share.ts";
import { digest } from "./a-registry.ts";

const ROOMS = Array.from({ length: 10_000 }, (_, index) => `room-${index}`);

async function taken(salt: string, sharePermille: number): Promise<Set<string>> {
  const hits = await Promise.all(ROOMS.map((room) => isInShare({ salt, sharePermille }, room, digest)));
  return new Set(ROOMS.filter((_, index) => hits[index]));
}

describe("isInShare", () => {
  it.for([5, 50, 125, 500, 900])(
    "takes %i permille of 10,000 rooms, within two per cent",
    async (share, { expect }) => {
      for (const salt of ["a", "b", "c"]) {
        const found = (await taken(salt, share)).size / ROOMS.length;
        expect(Math.abs(found - share / 1_000)).toBeLessThan(0.02);
      }
    },
  );

  it("takes none at 0 and all at 1,000", async ({ expect }) => {
    expect([(await taken("a", 0)).size, (await taken("a", 1_000)).size]).toEqual([0, ROOMS.length]);
  });

  it("keeps every room that is in it while the share grows, and the same rooms each time", async ({ expect }) => {
    const shares = [10, 50, 51, 200, 750];
    const sets = await Promise.all(shares.map((share) => taken("launch", share)));
    for (const [index, smaller] of sets.slice(0, -1).entries()) {
      expect(isSubset(smaller, sets[index + 1])).toBe(true);
    }
    expect(await taken("launch", 200)).toEqual(sets[3]);
  });

  it("takes other rooms for another salt", async ({ expect }) => {
    const [one, two] = [await taken("one", 100), await taken("two", 100)];
    const both = [...one].filter((room) => two.has(room)).length;
    // Independent draws: a tenth of a tenth, give or take.
    expect(both / ROOMS.length).toBeGreaterThan(0.005);
    expect(both / ROOMS.length).toBeLessThan(0.015);
  });
});

function isSubset(smaller: ReadonlySet<string>, larger: ReadonlySet<string> | undefined): boolean {
  return [...smaller].every((room) => larger?.has(room) === true);
}
