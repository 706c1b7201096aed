import type {
  Admission,
  AdmissionLimits,
  AdmissionRequest,
  CallReport,
} from "../../../../shared/contract/admission.ts";
import { EndpointGate } from "../../../../shared/inference/endpoint-gate.ts";
import { FakeTime } from "../../../helpers/fake-timer.ts";
import { aFailedCall } from "./simulated-load.ts";

const END = { firstSentenceMs: null, totalMs: 0, outcome: "spoken" };

/** A gate with a fixed limit of `slots`, whose answers are kept by key. */
export class GateBench {
  readonly time = new FakeTime();
  readonly gate: EndpointGate;
  /** `key: yes`, or `key: reason`, in order. */
  readonly log: string[] = [];
  readonly answers: { key: string; admission: Admission }[] = [];
  limits: AdmissionLimits;

  constructor(slots: number) {
    this.limits = { slots, utilizationCeiling: 1, capacity: "fixed", updatedAtMs: 1 };
    this.gate = new EndpointGate({ clock: this.time, saved: null });
  }

  /** Asks for the turn `room/…` of merchant `m`. */
  ask(key: string, request: Partial<AdmissionRequest> = {}, then: () => void = () => {}): void {
    const asked: AdmissionRequest = {
      key,
      room: key.split("/")[0] ?? "",
      merchant: "m",
      priority: 4,
      deadlineAtMs: this.time.nowMs() + 600_000,
      waitMsMax: 300_000,
      limits: this.limits,
      ...request,
    };
    this.gate.ask(asked, (admission) => {
      this.log.push(`${key}: ${admission.admitted ? "yes" : admission.reason}`);
      this.answers.push({ key, admission });
      then();
    });
  }

  report(key: string, calls: readonly CallReport[] = []): void {
    this.gate.report({ key, room: key.split("/")[0] ?? "", calls, end: null });
  }

  end(key: string, calls: readonly CallReport[] = []): void {
    this.gate.report({ key, room: key.split("/")[0] ?? "", calls, end: END });
  }

  /** Moves on and ticks at each moment that the gate names. */
  advance(byMs: number): void {
    const untilMs = this.time.nowMs() + byMs;
    for (;;) {
      const wakeAtMs = this.gate.nextWakeAtMs();
      if (wakeAtMs === null || wakeAtMs > untilMs) break;
      this.time.advance(wakeAtMs - this.time.nowMs());
      this.gate.tick();
    }
    this.time.advance(untilMs - this.time.nowMs());
  }

  use(): number[] {
    const { inFlight, waiting } = this.gate.status();
    return [inFlight, waiting];
  }

  openBreaker(key: string): void {
    this.report(
      key,
      Array.from({ length: 5 }, () => aFailedCall("model_unavailable")),
    );
  }
}
