/** `/control/…`: how a test steers the emulator and reads what happened. No part of any engine. */
import { z } from "zod";
import { parseJson } from "../../shared/core/json.ts";
import { scriptedAnswerSchema } from "./answers.ts";
import type { Emulator } from "./emulator.ts";
import { faultsSchema } from "./faults.ts";

export type ControlAnswer = { readonly status: number; readonly body: unknown };

const answersSchema = z.strictObject({ answers: z.array(scriptedAnswerSchema) });
const optionsSchema = z.record(z.string(), z.unknown());
const resetSchema = z.strictObject({ cache: z.boolean().default(false) });

/** Answers one control request; `route` is `<method> <path below /control>`. */
export function answerControl(emulator: Emulator, route: string, bodyText: string): ControlAnswer {
  const json = bodyText === "" ? {} : parseJson(bodyText);
  switch (route) {
    case "GET /stats":
      return done(emulator.stats());
    case "GET /options":
      return done(emulator.options);
    case "GET /faults":
      return done({ faults: emulator.faults.list() });
    case "GET /requests/last":
      return done(parseJson(emulator.log.lastBody) ?? null);
    case "DELETE /faults":
      emulator.faults.set([]);
      return done({});
    case "POST /faults":
      return read(faultsSchema, json, ({ faults }) => emulator.faults.set(faults));
    case "POST /answers":
      return read(answersSchema, json, ({ answers }) => emulator.script(answers));
    case "POST /reset":
      return read(resetSchema, json, ({ cache }) => reset(emulator, cache));
    case "POST /options":
      return changeOptions(emulator, json);
    default:
      return { status: 404, body: { error: `no control route ${route}` } };
  }
}

function reset(emulator: Emulator, withCache: boolean): void {
  emulator.reset();
  if (withCache) emulator.engine.clearCache();
}

function changeOptions(emulator: Emulator, json: unknown): ControlAnswer {
  const parsed = optionsSchema.safeParse(json);
  if (!parsed.success) return { status: 400, body: { error: "an object is expected" } };
  const changed = emulator.change(parsed.data);
  return changed.ok ? done(changed.value) : { status: 400, body: { error: changed.error } };
}

function read<Value>(schema: z.ZodType<Value>, json: unknown, use: (value: Value) => void): ControlAnswer {
  const parsed = schema.safeParse(json);
  if (!parsed.success) return { status: 400, body: { error: z.prettifyError(parsed.error) } };
  use(parsed.data);
  return done({});
}

function done(body: unknown): ControlAnswer {
  return { status: 200, body };
}
