/** What a runner does when an endpoint's object fails or is silent: the turn goes on, under a limit of its own isolate. */
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import type { AdmissionRequest } from "../../../shared/contract/admission.ts";
import { objectAdmissions } from "../../../workers/inference/object-admissions.ts";

const LIMITS = { slots: 16, utilizationCeiling: 0.5, capacity: "adaptive", updatedAtMs: 1 } as const;

function aRequest(key: string): AdmissionRequest {
  const deadlineAtMs = Date.now() + 8_000;
  return { key, room: "room-1", merchant: "m1", priority: 4, deadlineAtMs, waitMsMax: 20, limits: LIMITS };
}

/** A namespace whose objects answer as told, and what they were asked. */
function anEnv(admit: () => Promise<unknown>) {
  const asked: string[] = [];
  const note = (name: string) => async () => void asked.push(name);
  const stub = {
    admit: () => {
      asked.push("admit");
      return admit();
    },
    cancel: note("cancel"),
    report: note("report"),
  };
  const works: Promise<unknown>[] = [];
  const broken: Env = { ...env, ENDPOINT_ADMISSION: { getByName: () => stub } as unknown as Env["ENDPOINT_ADMISSION"] };
  const admissions = objectAdmissions(broken, (work) => works.push(work));
  return { admissions, asked, done: () => Promise.all(works) };
}

describe("objectAdmissions", () => {
  it("admits a few turns by itself when the object fails, and leaves the object alone for a while", async ({
    expect,
  }) => {
    vi.spyOn(console, "error").mockReturnValue();
    const { admissions, asked } = anEnv(() => Promise.reject(new Error("overloaded")));
    const name = crypto.randomUUID();
    const answers = [];
    for (const key of ["a", "b", "c"]) answers.push(await admissions.admit(name, aRequest(key)));
    expect(answers).toEqual([
      { admitted: true, waitedMs: 0, isLocal: true },
      { admitted: true, waitedMs: 0, isLocal: true },
      { admitted: false, reason: "busy", expectedWaitMs: 0, isLocal: true },
    ]);
    expect(asked).toEqual(["admit"]);
    admissions.cancel(name, "a");
    expect(await admissions.admit(name, aRequest("c"))).toMatchObject({ admitted: true, isLocal: true });
  });

  it("goes on alone when the object is silent, and takes back what it grants too late", async ({ expect }) => {
    vi.spyOn(console, "error").mockReturnValue();
    const late = Promise.withResolvers<unknown>();
    const { admissions, asked, done } = anEnv(() => late.promise);
    const name = crypto.randomUUID();
    expect(await admissions.admit(name, aRequest("a"))).toMatchObject({ admitted: true, isLocal: true });
    late.resolve({ admitted: true, waitedMs: 0 });
    await done();
    await done();
    expect(asked).toEqual(["admit", "cancel"]);
  });

  it("a report that nobody takes is one line in the log, without the turn's words", async ({ expect }) => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    const works: Promise<unknown>[] = [];
    const stub = { report: () => Promise.reject(new Error("gone")) };
    const broken: Env = {
      ...env,
      ENDPOINT_ADMISSION: { getByName: () => stub } as unknown as Env["ENDPOINT_ADMISSION"],
    };
    const admissions = objectAdmissions(broken, (work) => works.push(work));
    admissions.report("h20", { key: "room-1/t1", room: "room-1", calls: [], end: null });
    await Promise.all(works);
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([{ where: "admission-report" }]);
  });
});
