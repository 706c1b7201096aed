import { describe, it } from "vitest";
import { checkFiles } from "../../../harness-kv/check-files.ts";
import { bundleFiles } from "./bundle-files.ts";

// What each fault is told as: broken-bundles.test.ts.
describe("checkFiles", () => {
  it("gives the bundle of a good folder", ({ expect }) => {
    expect(checkFiles(bundleFiles())).toMatchObject({ bundle: { name: "small" }, examples: [], problems: [] });
  });

  it("gives none where a part does not read, or the whole does not fit", ({ expect }) => {
    expect(checkFiles(bundleFiles({ "harness.json": "{" })).bundle).toBeNull();
    expect(checkFiles(bundleFiles({ "prompt/turn.md": "{{ x }} {{ turn.messages }}" })).bundle).toBeNull();
  });

  it("keeps a bundle that has warnings alone", ({ expect }) => {
    const { bundle, problems } = checkFiles(bundleFiles({ "prompt/shop.md": "{{ room.catalogue }}" }));
    expect(bundle).not.toBeNull();
    expect(problems).toEqual([expect.objectContaining({ code: "unused-variable", severity: "warning" })]);
  });
});
