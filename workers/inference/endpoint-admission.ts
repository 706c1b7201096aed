/** Admission to one inference endpoint, across all rooms, and the endpoint's figures. A shell around `EndpointGate`. */
import { DurableObject } from "cloudflare:workers";
import type { Admission, AdmissionRequest, UseReport } from "../../shared/contract/admission.ts";
import type { EndpointStatus } from "../../shared/contract/endpoint-status.ts";
import { EndpointFigures } from "../../shared/inference/endpoint-figures.ts";
import { EndpointGate, readSavedGate } from "../../shared/inference/endpoint-gate.ts";
import { OFFLINE } from "../../shared/inference/turn-model.ts";
import { reportAlarm } from "../platform/report-failure.ts";
import { systemClock } from "../platform/system-clock.ts";
import { EngineWatch } from "./engine-watch.ts";

/** How often what was learned is written down, ms: a restart then begins where the object left off. */
const SAVE_EVERY_MS = 30_000;
const SAVED_KEY = "gate";

/**
 * Slots, waiting turns and figures live in memory: an object that restarts admits its limit anew, while the turns before
 * it run on for seconds at most. Only what was learned of the endpoint is stored.
 */
export class EndpointAdmission extends DurableObject<Env> {
  readonly #name: string;
  readonly #gate: EndpointGate;
  readonly #figures: EndpointFigures;
  readonly #engine: EngineWatch;
  #savedAtMs = 0;
  /** Whether turns ask for slots here: not those of the policy inside the Worker, nor those of an endpoint without limits. */
  #isAsked = false;
  #wake: { readonly atMs: number; readonly handle: ReturnType<typeof setTimeout> } | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#name = ctx.id.name ?? ctx.id.toString();
    this.#gate = new EndpointGate({ clock: systemClock, saved: readSavedGate(ctx.storage.kv.get(SAVED_KEY)) });
    this.#figures = new EndpointFigures({ name: this.#name, startedAtMs: systemClock.nowMs() });
    this.#engine = new EngineWatch(env, this.#name);
  }

  /** Answers when the turn has a slot or is refused; no later than its `waitMsMax`. */
  admit(request: AdmissionRequest): Promise<Admission> {
    this.#isAsked = true;
    return new Promise((resolve) => {
      this.#gate.ask(request, (admission) => {
        this.#figures.noteAdmission(request.room, admission, systemClock.nowMs());
        resolve(admission);
      });
      this.#arm();
    });
  }

  cancel(key: string): void {
    this.#gate.cancel(key);
    this.#arm();
  }

  report(report: UseReport): void {
    this.#gate.report(report);
    this.#figures.noteReport(report, systemClock.nowMs());
    this.#arm();
    this.#save();
    this.ctx.waitUntil(this.#readEngine());
    this.#logAlarms();
  }

  /** The server's own figures are those of the last read: a slow server must not keep anybody waiting. */
  status(): EndpointStatus {
    this.ctx.waitUntil(this.#readEngine());
    this.#gate.tick();
    return this.#figures.status(this.#now());
  }

  async #readEngine(): Promise<void> {
    if (this.#name === OFFLINE) return;
    const engine = await this.#engine.read();
    if (engine !== null) this.#figures.noteEngine(engine);
  }

  #now() {
    const gate = this.#isAsked ? this.#gate.status() : null;
    return { nowMs: systemClock.nowMs(), gate, rooms: this.#gate.countsByRoom() };
  }

  /** A timer does while turns wait or run: with none, nothing is due, and the object may sleep. */
  #arm(): void {
    const atMs = this.#gate.nextWakeAtMs();
    if (this.#wake !== null && atMs !== null && this.#wake.atMs <= atMs) return;
    if (this.#wake !== null) clearTimeout(this.#wake.handle);
    if (atMs === null) {
      this.#wake = null;
      return;
    }
    const handle = setTimeout(
      () => {
        this.#wake = null;
        this.#gate.tick();
        this.#arm();
      },
      Math.max(0, atMs - systemClock.nowMs()),
    );
    this.#wake = { atMs, handle };
  }

  #save(): void {
    const nowMs = systemClock.nowMs();
    if (this.#name === OFFLINE || nowMs - this.#savedAtMs < SAVE_EVERY_MS) return;
    this.#savedAtMs = nowMs;
    this.ctx.storage.kv.put(SAVED_KEY, this.#gate.save());
  }

  #logAlarms(): void {
    for (const change of this.#figures.takeAlarmChanges(this.#now())) reportAlarm(this.#name, change);
  }
}
