/** The object that admits turns to an endpoint: slots over RPC, and what it tells of them. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { Admission, AdmissionRequest, CallReport } from "../../../shared/contract/admission.ts";

const LIMITS = { slots: 4, utilizationCeiling: 0.5, capacity: "fixed", updatedAtMs: 1 } as const;

/** The stub's own type takes a union apart into promises of each member. */
type Gate = { admit(request: AdmissionRequest): Promise<Admission> };

function anObject() {
  const stub = env.ENDPOINT_ADMISSION.getByName(`test-${crypto.randomUUID()}`);
  return { stub, admit: (request: AdmissionRequest) => (stub as unknown as Gate).admit(request) };
}

function aRequest(turn: string, fields: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const deadlineAtMs = Date.now() + 60_000;
  return {
    key: `room-1/${turn}`,
    room: "room-1",
    merchant: "m1",
    priority: 4,
    deadlineAtMs,
    waitMsMax: 0,
    limits: LIMITS,
    ...fields,
  };
}

function aCall(fields: Partial<CallReport> = {}): CallReport {
  return {
    failure: null,
    startedAtMs: Date.now() - 900,
    firstTokenMs: 200,
    totalMs: 800,
    inputTokens: 8_000,
    cachedTokens: 7_680,
    outputTokens: 80,
    acceptanceLength: 1.8,
    expectsCache: true,
    ...fields,
  };
}

const END = { firstSentenceMs: 900, totalMs: 2_000, outcome: "answered" };

describe("EndpointAdmission", () => {
  it("admits its limit, refuses the next one, and admits it when a slot comes back", async ({ expect }) => {
    const { stub, admit } = anObject();
    expect(await admit(aRequest("t1"))).toEqual({ admitted: true, waitedMs: 0 });
    expect(await admit(aRequest("t2"))).toEqual({ admitted: true, waitedMs: 0 });
    expect(await admit(aRequest("t3"))).toMatchObject({ admitted: false, reason: "busy" });
    const waiting = admit(aRequest("t4", { waitMsMax: 20_000 }));
    await stub.report({ key: "room-1/t1", room: "room-1", calls: [aCall()], end: END });
    expect(await waiting).toMatchObject({ admitted: true });
  });

  it("answers a turn that waits when its time is up, with nobody asking in between", async ({ expect }) => {
    const { admit } = anObject();
    const limits = { ...LIMITS, slots: 40, utilizationCeiling: 1 };
    const keys = Array.from({ length: 40 }, (_, index) => `t${index}`);
    for (const key of keys) await admit(aRequest(key, { limits }));
    const refused = await admit(aRequest("late", { limits, waitMsMax: 100 }));
    expect(refused).toMatchObject({ admitted: false, reason: "busy" });
  });

  it("takes the slot of a runner that died back soon after its turn's deadline", async ({ expect }) => {
    const { admit } = anObject();
    const deadlineAtMs = Date.now() - 1_900;
    await admit(aRequest("t1", { deadlineAtMs }));
    await admit(aRequest("t2"));
    const next = await admit(aRequest("t3", { waitMsMax: 20_000 }));
    expect(next).toMatchObject({ admitted: true });
  });

  it("tells how its endpoint does, by room", async ({ expect }) => {
    const { stub, admit } = anObject();
    await admit(aRequest("t1"));
    await admit(aRequest("t2"));
    await admit(aRequest("t3"));
    await stub.report({
      key: "room-1/t1",
      room: "room-1",
      calls: [aCall(), aCall({ failure: { code: "model_stalled", retryAfterMs: null } })],
      end: END,
    });
    const status = await stub.status();
    expect(status).toMatchObject({
      gate: { limit: 2, inFlight: 1, waiting: 0, breaker: "closed" },
      figures: {
        admitted: 2,
        refused: { busy: 1 },
        turns: 1,
        calls: 2,
        failures: { model_stalled: 1 },
        inputTokens: 16_000,
        cachedTokens: 15_360,
      },
      alarms: [{ code: "shedding" }],
      rooms: [{ room: "room-1" }],
    });
  });

  it("keeps a learned limit over a restart, and no slot", async ({ expect }) => {
    const { stub, admit } = anObject();
    const limits = { ...LIMITS, slots: 64, capacity: "adaptive" } as const;
    await admit(aRequest("t1", { limits }));
    await stub.report({
      key: "room-1/t1",
      room: "room-1",
      calls: [aCall({ failure: { code: "model_rate_limited", retryAfterMs: null } })],
      end: END,
    });
    const learned = (await stub.status()).gate?.limit;
    expect(learned).toBeLessThan(32);
    await evictDurableObject(stub);
    await admit(aRequest("t2", { limits }));
    expect((await stub.status()).gate).toMatchObject({ limit: learned, inFlight: 1 });
  });
});
