/** What the local voice does wrong, on demand. */
import { z } from "zod";
import { formSchema } from "./options.ts";

const common = {
  /** Requests that it hits; -1 for all. */
  count: z.int().min(-1).default(1),
  /** Only requests whose text has this in it. */
  contains: z.string().default(""),
};

const faultSchema = z.discriminatedUnion("fault", [
  /** Waits before the first byte, headers included. */
  z.strictObject({ fault: z.literal("slow"), ms: z.int().min(0), ...common }),
  /** Half the audio, then nothing more. */
  z.strictObject({ fault: z.literal("stall"), ...common }),
  /** Half the audio, then the connection breaks. */
  z.strictObject({ fault: z.literal("cut"), ...common }),
  z.strictObject({ fault: z.literal("status"), status: z.int().min(200).max(599), ...common }),
  /** Another pace, see the option. */
  z.strictObject({ fault: z.literal("pace"), pace: z.number().min(0), ...common }),
  /** Another form of answer. */
  z.strictObject({ fault: z.literal("form"), form: formSchema, ...common }),
]);
export type VoiceFault = z.infer<typeof faultSchema>;
export type VoiceFaultInput = z.input<typeof faultSchema>;

export const faultsBodySchema = z.strictObject({ faults: z.array(faultSchema).max(100) });

/** The faults that are still to come. */
export class VoiceFaults {
  #faults: readonly { readonly fault: VoiceFault; left: number }[] = [];

  replace(faults: readonly VoiceFault[]): void {
    this.#faults = faults.map((fault) => ({ fault, left: fault.count }));
  }

  /** The first that fits this text, which counts it. */
  take(text: string): VoiceFault | null {
    const found = this.#faults.find(({ fault, left }) => left !== 0 && text.includes(fault.contains));
    if (found === undefined) return null;
    found.left -= 1;
    return found.fault;
  }
}
