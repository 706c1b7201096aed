/** The edge API and the page. Routes are grouped by noun; what they share is in the middleware beside this file. */
import { auditRoutes } from "./routes/audit.ts";
import { messageRoutes } from "./routes/messages.ts";
import { createRouter } from "./openapi.ts";
import { docsPage } from "./docs-page.ts";
import { endpointRoutes } from "./routes/endpoints.ts";
import { governanceRoutes } from "./routes/governance.ts";
import { harnessRoutes } from "./routes/harnesses.ts";
import { onError } from "./on-error.ts";
import { planRoutes } from "./routes/plans.ts";
import { releaseRoutes } from "./routes/releases.ts";
import { replayRoutes } from "./routes/replays.ts";
import { roomRoutes } from "./routes/rooms.ts";
import { pageHeaders, servePage } from "./serve-page.ts";
import { voiceRoutes } from "./routes/voice.ts";
import { AppError } from "../../shared/errors/app-error.ts";

const API = {
  openapi: "3.1.0",
  info: {
    title: "Kaibo edge API",
    version: "1",
    description:
      "AI hosts for live rooms. Tokens are JWTs with the audience room, operator, governor, analyst or viewer. " +
      "Errors carry a stable `code`; those with `Retry-After` may be sent again.",
  },
};

const router = createRouter();
router.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
  type: "http",
  scheme: "bearer",
  bearerFormat: "JWT",
});

export const edgeApp = router
  .route("/", roomRoutes)
  .route("/", replayRoutes)
  .route("/", voiceRoutes)
  .route("/", messageRoutes)
  .route("/", harnessRoutes)
  .route("/", releaseRoutes)
  .route("/", planRoutes)
  .route("/", governanceRoutes)
  .route("/", auditRoutes)
  .route("/", endpointRoutes)
  .doc31("/openapi.json", API);

edgeApp.get("/docs", pageHeaders, (c) => c.html(docsPage(edgeApp.getOpenAPI31Document(API))));
edgeApp.get("/healthz", (c) => c.json({ ok: true }));
edgeApp.all("/v1/*", (c) => {
  throw new AppError("route_not_found", `There is no ${c.req.method} on this path; see /docs`);
});
edgeApp.get("*", pageHeaders, servePage);
edgeApp.notFound((c) =>
  c.json({ code: "route_not_found", title: "There is nothing here", status: 404, details: {} }, 404),
);
edgeApp.onError(onError);
