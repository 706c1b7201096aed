import { jwtVerify } from "jose";
import { describe, it } from "vitest";
import { tokenClaimsSchema } from "../../../../../shared/contract/token-claims.ts";
import { signInstanceTokens, signToken } from "../../../../../workers/cli/local/dev-tokens.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const NOW_MS = Date.UTC(2026, 11, 1, 12);

describe("signToken", () => {
  it("signs claims that the edge accepts, for the time asked", async ({ expect }) => {
    const token = await signToken(SECRET, NOW_MS, {
      audiences: ["room", "operator"],
      room: "yanxuan-home",
      subject: "kaibo-cli",
      ttlMs: 90_000,
    });
    const { payload, protectedHeader } = await verify(token, SECRET);
    expect(protectedHeader.alg).toBe("HS256");
    expect(tokenClaimsSchema.parse(payload)).toEqual({
      iss: "kaibo",
      sub: "kaibo-cli",
      aud: ["room", "operator"],
      room: "yanxuan-home",
      iat: NOW_MS / 1_000,
      exp: NOW_MS / 1_000 + 90,
    });
  });

  it("does not verify under another secret", async ({ expect }) => {
    const token = await signToken(SECRET, NOW_MS, { audiences: ["room"], room: "*", subject: "s", ttlMs: 1_000 });
    await expect(verify(token, SECRET.replace("0", "1"))).rejects.toThrow("signature");
  });
});

describe("signInstanceTokens", () => {
  it("gives each kind of user its own audience, and the page all that people need there", async ({ expect }) => {
    const tokens = await signInstanceTokens(SECRET, NOW_MS);
    const audiences = await Promise.all(
      Object.entries(tokens).map(async ([kind, token]) => [kind, (await verify(token, SECRET)).payload.aud]),
    );
    expect(Object.fromEntries(audiences)).toEqual({
      room: ["room"],
      operator: ["operator"],
      analyst: ["analyst"],
      viewer: ["viewer"],
      governor: ["governor"],
      page: ["room", "operator", "analyst"],
    });
  });
});

function verify(token: string, secret: string) {
  return jwtVerify(token, new TextEncoder().encode(secret), { currentDate: new Date(NOW_MS) });
}
