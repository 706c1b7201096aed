/** The Worker. Wiring only: every handler and class that wrangler.toml or a loopback binding names is exported here. */
import { edgeApp } from "./edge/app.ts";

export { EndpointAdmission } from "./inference/endpoint-admission.ts";
export { HarnessRollout } from "./release/harness-rollout.ts";
export { RoomTeller } from "./release/room-teller.ts";
export { LiveRoom } from "./room/live-room.ts";
export { TurnRunner } from "./runner/turn-runner.ts";

export default { fetch: edgeApp.fetch } satisfies ExportedHandler<Env>;
