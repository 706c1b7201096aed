import { describe, it } from "vitest";
import {
  missingConditions,
  requireApproval,
  requireNoFreeze,
  requireOpenGate,
  requireServable,
  takesTwo,
} from "../../../harness-kv/release-rules.ts";
import { harnessChannelSchema, harnessVersionSchema } from "../../../shared/contract/ids.ts";
import { gateConditionSchema, type GateResult, type Plan } from "../../../shared/contract/release.ts";
import { aRegistry, aSummary } from "./a-registry.ts";

const version = harnessVersionSchema.parse("a".repeat(64));
const A_MOVE = {
  name: "small",
  channel: harnessChannelSchema.parse("production"),
  merchant: "*",
  expected: null,
  to: version,
};
const aResult = (condition: GateResult["condition"], ok = true): GateResult => ({
  condition,
  ok,
  details: {},
  judgedBy: "gu",
  judgedAtMs: 0,
});

const A_PLAN: Plan = {
  id: "p1",
  name: "small",
  channel: harnessChannelSchema.parse("production"),
  merchant: "*",
  expected: null,
  version,
  dueAtMs: null,
  note: "",
  plannedBy: "li",
  plannedAtMs: 0,
  approvedBy: null,
  status: "waiting",
  reason: null,
};

describe("missingConditions", () => {
  it("lists what nobody has judged and what does not hold", ({ expect }) => {
    expect(missingConditions([])).toEqual(gateConditionSchema.options);
    const results = [aResult("patch_not_empty"), aResult("boundary_improves", false), aResult("holdout_holds")];
    expect(missingConditions(results)).toEqual(["source_traceable", "boundary_improves"]);
    expect(missingConditions(gateConditionSchema.options.map((condition) => aResult(condition)))).toEqual([]);
  });
});

describe("rules of a release", () => {
  it("let a version of the harness pass that may serve", async ({ expect }) => {
    const { rows, tables } = aRegistry();
    rows.set(version, { text: "{}", summary: aSummary({ version, name: "small" }) });
    await expect(requireServable(tables, { name: "small", version })).resolves.toBeUndefined();
    await expect(requireServable(tables, { name: "other", version })).rejects.toMatchObject({
      code: "harness_not_found",
    });
    rows.set(version, { text: "{}", summary: aSummary({ version, name: "small", revokedAtMs: 1 }) });
    await expect(requireServable(tables, { name: "small", version })).rejects.toMatchObject({
      code: "harness_revoked",
    });
  });

  it("hold a merchant for its own freeze and for everyone's, and not for another's", async ({ expect }) => {
    const { freezes, tables } = aRegistry();
    freezes.push({ merchant: "m-1", reason: "活动", frozenBy: "li", frozenAtMs: 0 });
    await expect(requireNoFreeze(tables, { name: "small", merchant: "m-1" })).rejects.toMatchObject({
      code: "harness_frozen",
    });
    await expect(requireNoFreeze(tables, { name: "small", merchant: "m-2" })).resolves.toBeUndefined();
    freezes.push({ merchant: "*", reason: "活动", frozenBy: "li", frozenAtMs: 0 });
    await expect(requireNoFreeze(tables, { name: "small", merchant: "m-2" })).rejects.toMatchObject({
      code: "harness_frozen",
    });
  });

  it.for([
    ["a plan that another has approved", { approvedBy: "chen" }, true],
    ["one that nobody has approved", {}, false],
    ["one that its own planner has approved", { approvedBy: "li" }, false],
    ["another harness's", { name: "other", approvedBy: "chen" }, false],
    ["one of another merchant", { merchant: "m-1", approvedBy: "chen" }, false],
    ["one of another version", { version: harnessVersionSchema.parse("b".repeat(64)), approvedBy: "chen" }, false],
  ] as const)("ask for two people: %s: %o", async ([, fields, isEnough], { expect }) => {
    const { plans, tables } = aRegistry();
    plans.set("p1", { ...A_PLAN, ...fields });
    const refused = { code: "harness_unapproved", details: { name: "small", plan: "p1" } };
    const asked = requireApproval(tables, { ...A_MOVE, plan: "p1" });
    await (isEnough ? expect(asked).resolves.toBeUndefined() : expect(asked).rejects.toMatchObject(refused));
  });

  it.for([
    ["production", "*", version, true],
    ["production", "m-1", null, true],
    ["production", "*", null, false],
    ["candidate", "*", version, false],
  ] as const)("take two people for %s of %s from %s: %s", ([channel, merchant, expected, isTwo], { expect }) => {
    expect(takesTwo({ channel: harnessChannelSchema.parse(channel), merchant, expected })).toBe(isTwo);
  });

  it("ask for a plan where there is none, and where it is none", async ({ expect }) => {
    const { tables } = aRegistry();
    for (const details of [{ name: "small" }, { name: "small", plan: "p1" }]) {
      const asked = requireApproval(tables, { ...A_MOVE, ...details });
      await expect(asked).rejects.toMatchObject({ code: "harness_unapproved", details });
    }
  });

  it("open the gate for four conditions, and name those that are missing", async ({ expect }) => {
    const { results, tables } = aRegistry();
    results.push(...gateConditionSchema.options.slice(1).map((condition) => aResult(condition)));
    await expect(requireOpenGate(tables, version)).rejects.toMatchObject({ details: { missing: "patch_not_empty" } });
    results.push(aResult("patch_not_empty"));
    await expect(requireOpenGate(tables, version)).resolves.toBeUndefined();
  });
});
