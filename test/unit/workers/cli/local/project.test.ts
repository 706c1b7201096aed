import path from "node:path";
import { describe, it } from "vitest";
import { ROOT, stateFolderOf } from "../../../../../workers/cli/local/project.ts";

describe("stateFolderOf", () => {
  it.for([{}, { KAIBO_STATE_DIR: "" }])("is .wrangler beside the sources for %j", (env, { expect }) => {
    expect(stateFolderOf(env)).toBe(path.join(ROOT, ".wrangler"));
  });

  it("is the folder that was chosen", ({ expect }) => {
    expect(stateFolderOf({ KAIBO_STATE_DIR: "/tmp/kaibo-2" })).toBe("/tmp/kaibo-2");
  });
});
