/** Port to the objects that admit turns, one per endpoint. */
import type { Admission, AdmissionRequest, UseReport } from "../contract/admission.ts";

/** `isLocal`: decided by this runner's own limit, because the endpoint's object could not be reached. */
export type AdmissionAnswer = Admission & { readonly isLocal: boolean };

/** Nothing here throws or keeps a turn waiting longer than `waitMsMax` and a little. */
export interface Admissions {
  admit(endpoint: string, request: AdmissionRequest): Promise<AdmissionAnswer>;
  /** Gives a slot back, or takes a request back. */
  cancel(endpoint: string, key: string): void;
  report(endpoint: string, report: UseReport): void;
}
