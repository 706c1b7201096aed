import { describe, it } from "vitest";
import { startEmulator } from "../../../../helpers/emulator.ts";
import { countTokens } from "../../../../../workers/cli/harness/count-tokens.ts";

const TEXTS = [
  { part: "system", name: "identity", text: "你是直播间的主播。" },
  { part: "skill", name: "stock", text: "check the stock first" },
] as const;

describe("countTokens", () => {
  it("takes each text's count from the server, under the name of its model", async ({ expect, onTestFinished }) => {
    const server = await startEmulator();
    onTestFinished(() => server.stop());
    const counted = await countTokens(server.url, TEXTS);
    expect(counted.costs).toEqual([
      { part: "system", name: "identity", tokens: 6 },
      { part: "skill", name: "stock", tokens: 6 },
    ]);
    expect(await countTokens(`${server.origin}/`, TEXTS)).toEqual(counted);
    expect(counted.model).not.toBe("");
  });

  it("says what to do where nobody counts", async ({ expect }) => {
    await expect(countTokens("http://127.0.0.1:9", TEXTS)).rejects.toMatchObject({
      name: "CliError",
      message: expect.stringContaining("does not count tokens"),
    });
  });
});
