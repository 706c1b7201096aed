import { describe, it } from "vitest";
import { rankEndpoints } from "../../../../shared/inference/rank-endpoints.ts";

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const rooms = Array.from({ length: 2_000 }, (_, index) => `room-${index}`);
const firstOf = (room: string, names: readonly string[]) => rankEndpoints(room, named(...names))[0]?.name;

describe("rankEndpoints", () => {
  it("gives a room the same order whatever the order of the list", ({ expect }) => {
    for (const room of rooms.slice(0, 50)) {
      expect(rankEndpoints(room, named("c", "a", "b"))).toEqual(rankEndpoints(room, named("a", "b", "c")));
    }
  });

  it("spreads rooms evenly, also over names that differ at their end alone", ({ expect }) => {
    const counts = new Map<string | undefined, number>();
    for (const room of rooms) {
      const first = firstOf(room, ["h20-1", "h20-2", "h20-3", "h20-4"]);
      counts.set(first, (counts.get(first) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(count / 500).toBeCloseTo(1, 0);
    expect(Math.min(...counts.values())).toBeGreaterThan(400);
  });

  it("moves only the rooms of an endpoint that goes", ({ expect }) => {
    const staying = rooms.filter((room) => firstOf(room, ["a", "b", "c"]) !== "c");
    const before = staying.map((room) => firstOf(room, ["a", "b", "c"]));
    expect(staying.map((room) => firstOf(room, ["a", "b"]))).toEqual(before);
  });
});
