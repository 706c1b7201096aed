/** The harness's hooks as one turn runs them: fills in what every input shares, and keeps the record. */
import type { HookInput } from "../../contract/hook-io.ts";
import type { HookRecord } from "../../contract/turn-record.ts";
import type { HookSet } from "../hooks/compile-hooks.ts";
import { runHooks, type HookDeps, type HookVerdict } from "../hooks/run-hooks.ts";

type SharedFields = "session_id" | "turn_id" | "retry_active" | "question" | "evidence";
type WithoutShared<Input> = Input extends HookInput ? Omit<Input, SharedFields> : never;

/** One event's own fields. */
export type HookCall = WithoutShared<HookInput>;

export type TurnHooks = {
  /** Runs all hooks of the event. Synchronous unless one of them is code. Never throws: a failure is a verdict. */
  run(call: HookCall): HookVerdict | Promise<HookVerdict>;
  /** What the policy has seen so far; grows with tool results. */
  addEvidence(text: string): void;
  markRetry(): void;
  records(): readonly HookRecord[];
  runs(): number;
};

export type TurnHooksOptions = {
  readonly set: HookSet;
  readonly deps: HookDeps;
  readonly room: string;
  readonly turn: string;
  readonly question: string;
  readonly evidence: readonly string[];
};

export function createTurnHooks(options: TurnHooksOptions): TurnHooks {
  const records: HookRecord[] = [];
  let { evidence } = options;
  let retryActive = false;
  let runs = 0;
  const keep = (verdict: HookVerdict): HookVerdict => {
    records.push(...verdict.records);
    runs += verdict.runs;
    return verdict;
  };
  return {
    run(call) {
      const shared = {
        session_id: options.room,
        turn_id: options.turn,
        retry_active: retryActive,
        question: options.question,
        evidence,
      };
      const verdict = runHooks(options.set, { ...shared, ...call }, options.deps);
      return verdict instanceof Promise ? verdict.then(keep) : keep(verdict);
    },
    addEvidence(text) {
      evidence = [...evidence, text];
    },
    markRetry() {
      retryActive = true;
    },
    records: () => records,
    runs: () => runs,
  };
}
