type ErrorRule = {
  /** HTTP status of the edge API for this code. */
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 426 | 429 | 500 | 502 | 503 | 504;
  /** Whether the same call may succeed later. Queues, clients and the agent loop read this, never the message. */
  readonly retry: "never" | "later";
};

/** Every failure that leaves a module. The one place that maps a code to a status and a retry rule. */
export const ERROR_RULES = {
  // The request itself.
  invalid_request: { status: 400, retry: "never" },
  invalid_json: { status: 400, retry: "never" },
  unsupported_media_type: { status: 415, retry: "never" },
  body_too_large: { status: 413, retry: "never" },
  batch_too_large: { status: 413, retry: "never" },
  unauthenticated: { status: 401, retry: "never" },
  token_expired: { status: 401, retry: "never" },
  forbidden: { status: 403, retry: "never" },
  route_not_found: { status: 404, retry: "never" },
  upgrade_required: { status: 426, retry: "never" },
  // Rooms and turns.
  room_not_found: { status: 404, retry: "never" },
  room_stream_full: { status: 503, retry: "later" },
  product_not_found: { status: 404, retry: "never" },
  turn_not_found: { status: 404, retry: "never" },
  lease_lost: { status: 409, retry: "never" },
  record_too_large: { status: 413, retry: "never" },
  // Harness versions.
  harness_not_found: { status: 404, retry: "never" },
  harness_channel_not_found: { status: 404, retry: "never" },
  harness_invalid: { status: 422, retry: "never" },
  harness_too_large: { status: 413, retry: "never" },
  harness_corrupt: { status: 500, retry: "never" },
  harness_unsigned: { status: 422, retry: "never" },
  harness_signature_invalid: { status: 422, retry: "never" },
  harness_revoked: { status: 409, retry: "never" },
  harness_frozen: { status: 409, retry: "never" },
  harness_gate_closed: { status: 409, retry: "never" },
  harness_unapproved: { status: 409, retry: "never" },
  harness_no_previous: { status: 409, retry: "never" },
  release_not_found: { status: 404, retry: "never" },
  channel_moved: { status: 409, retry: "later" },
  registry_unavailable: { status: 503, retry: "later" },
  // Inference endpoints.
  endpoint_not_found: { status: 404, retry: "never" },
  endpoint_refused: { status: 422, retry: "never" },
  endpoints_full: { status: 409, retry: "never" },
  endpoint_changed: { status: 409, retry: "later" },
  // Tools.
  tool_not_found: { status: 404, retry: "never" },
  tool_input_invalid: { status: 422, retry: "never" },
  tool_denied: { status: 403, retry: "never" },
  tool_timed_out: { status: 504, retry: "later" },
  tool_cancelled: { status: 409, retry: "never" },
  tool_failed: { status: 502, retry: "later" },
  tool_output_too_large: { status: 502, retry: "never" },
  tool_origin_refused: { status: 403, retry: "never" },
  // Hooks.
  hook_failed: { status: 500, retry: "later" },
  hook_timed_out: { status: 504, retry: "later" },
  hook_output_invalid: { status: 500, retry: "never" },
  // The policy behind the inference endpoint.
  model_unavailable: { status: 503, retry: "later" },
  model_refused: { status: 502, retry: "never" },
  model_rate_limited: { status: 503, retry: "later" },
  model_misconfigured: { status: 502, retry: "never" },
  model_timed_out: { status: 504, retry: "later" },
  model_stalled: { status: 504, retry: "later" },
  model_empty_stream: { status: 502, retry: "later" },
  model_stream_broken: { status: 502, retry: "later" },
  model_output_truncated: { status: 502, retry: "later" },
  deadline_exceeded: { status: 504, retry: "never" },
  // The speech server.
  speech_not_configured: { status: 409, retry: "never" },
  speech_unavailable: { status: 503, retry: "later" },
  speech_refused: { status: 502, retry: "never" },
  speech_timed_out: { status: 504, retry: "later" },
  speech_invalid: { status: 502, retry: "never" },
  speech_late: { status: 504, retry: "never" },
  // Everything that nobody foresaw.
  internal: { status: 500, retry: "later" },
} as const satisfies Record<string, ErrorRule>;

export type ErrorCode = keyof typeof ERROR_RULES;
