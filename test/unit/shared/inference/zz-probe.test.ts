import { it } from "vitest";
import { SimulatedLoad } from "./simulated-load.ts";
it("probe", () => {
  for (const [k, slots, c] of [[2,16,.5],[4,16,.5],[8,64,.5],[16,64,.5],[40,128,.5],[16,64,.3],[16,128,.7],[8,200,.9],[60,32,.5]] as const)
    for (const noise of [0,.1,.25]) {
      const load = new SimulatedLoad({ server: { capacity: k, idleFactor: 1, noise }, seed: 7, limits: { slots, utilizationCeiling: c, capacity: "adaptive", updatedAtMs: 1 } });
      load.demand = 2*slots;
      const t0=performance.now();
      const want = Math.min(slots, 1 + k*c/(1-c));
      const out:string[]=[];
      for (let i=0;i<6;i++) out.push(load.run(200_000).toFixed(0));
      console.log(`k=${k} slots=${slots} c=${c} noise=${noise} want=${want.toFixed(1)} got ${out.join(" ")} util ${load.gate.status().utilization?.toFixed(2)} ${(performance.now()-t0).toFixed(0)}ms`);
    }
}, 120000);
