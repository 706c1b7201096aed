import { describe, it } from "vitest";
import { ClientError, ownFailure } from "../../../../shared/client/client-error.ts";

describe("ClientError", () => {
  it("has the API's code for programs and its words for people", ({ expect }) => {
    const error = new ClientError({ code: "room_not_found", status: 404, title: "No such room", retryAfterMs: null });
    expect(error).toMatchObject({ code: "room_not_found", status: 404, message: "No such room (room_not_found)" });
  });

  it("has a code of its own where no server spoke", ({ expect }) => {
    expect(new ClientError(ownFailure("expired"))).toMatchObject({ code: "expired", status: 0, message: "expired" });
  });
});
