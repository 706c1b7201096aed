import { describe, it } from "vitest";
import { chooseAccount, chooseSecret, FRESH_ACCOUNT } from "../../../../../workers/cli/deploy/plan.ts";

const ACME = { id: "acc1", name: "Acme" };
const OTHER = { id: "acc2", name: "Other" };

describe("chooseAccount", () => {
  it("takes the only one, or the one that was chosen, listed or not", ({ expect }) => {
    expect(chooseAccount([ACME], undefined)).toBe(ACME);
    expect(chooseAccount([ACME], "")).toBe(ACME);
    expect(chooseAccount([ACME, OTHER], "acc2")).toBe(OTHER);
    expect(chooseAccount([], "acc3")).toEqual({ id: "acc3", name: "acc3" });
  });

  it("guesses neither among several nor from none", ({ expect }) => {
    const several = { why: "acc1 Acme, acc2 Other", next: "CLOUDFLARE_ACCOUNT_ID=<id> npm run deploy" };
    expect(() => chooseAccount([ACME, OTHER], undefined)).toThrow(expect.objectContaining(several));
    expect(() => chooseAccount([], undefined)).toThrow("The login has no account.");
  });
});

describe("chooseSecret", () => {
  const file = "/home/op/secret";

  it("leaves the secret that the Worker has", ({ expect }) => {
    const facts = { ...FRESH_ACCOUNT, secrets: ["INFERENCE_API_KEY", "TOKEN_SECRET"] };
    expect(chooseSecret(facts, { file, environment: "short" })).toBeNull();
  });

  it("takes the file before the environment", ({ expect }) => {
    expect(chooseSecret(FRESH_ACCOUNT, { file, environment: "e".repeat(32) })).toEqual({ from: "file", file });
    const facts = { ...FRESH_ACCOUNT, secrets: ["INFERENCE_API_KEY"] };
    expect(chooseSecret(facts, { environment: "e".repeat(32) })).toEqual({ from: "environment" });
  });

  it("refuses one that is too short, and none", ({ expect }) => {
    expect(() => chooseSecret(FRESH_ACCOUNT, { environment: "e".repeat(31) })).toThrow("too short");
    expect(() => chooseSecret(FRESH_ACCOUNT, {})).toThrow("has no TOKEN_SECRET");
  });
});
