import { describe, it } from "vitest";
import { toAuditEntry } from "../../../harness-kv/registry-change.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { LI } from "./a-registry.ts";

const version = harnessVersionSchema.parse("a".repeat(64));

describe("toAuditEntry", () => {
  it("says who did what, with all of the change", ({ expect }) => {
    const change = { kind: "revoke", name: "small", version, reason: "坏" } as const;
    expect(toAuditEntry(change, LI, 9)).toEqual({
      atMs: 9,
      actor: "li",
      audience: "operator",
      action: "revoke",
      subject: { name: "small", version, reason: "坏" },
    });
  });

  it("says of what the product does by itself whose rule or plan it followed", ({ expect }) => {
    const scope = { name: "small", channel: harnessChannelSchema.parse("production"), merchant: "*" };
    const move = { kind: "move", ...scope, expected: null, to: version, plan: "p1" } as const;
    expect(toAuditEntry(move, { name: "li", audience: "rollout" }, 9)).toEqual({
      atMs: 9,
      actor: "li",
      audience: "rollout",
      action: "move",
      subject: { ...scope, expected: null, to: version, plan: "p1" },
    });
  });

  it("holds no bundle: its version is its hash, and the log is read by people who may not read prompts", ({
    expect,
  }) => {
    const signature = null;
    const rest = { description: "d", bytes: 2, parent: null, notes: "", signature };
    const evidence = { clusterIds: [], caseIds: [], traceIds: [] };
    const change = { kind: "push", version, name: "small", bundleText: "{secret}", evidence, ...rest } as const;
    expect(JSON.stringify(toAuditEntry(change, LI, 9))).not.toContain("secret");
  });
});
