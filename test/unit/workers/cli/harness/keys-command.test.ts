import path from "node:path";
import { describe, it } from "vitest";
import { parseJson } from "../../../../../shared/core/json.ts";
import { runKeys } from "../../../../../workers/cli/harness/keys-command.ts";
import { parseKeys } from "../../../../../workers/cli/harness/keys-options.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";

async function kaibo(args: readonly string[]): Promise<string> {
  let printed = "";
  await runKeys(parseKeys(args), { out: (text) => void (printed += text) });
  return printed;
}

describe("kaibo keys new", () => {
  it("prints the setting that makes the deployment trust the key, and nothing of its private half", async ({
    expect,
  }) => {
    const file = path.join(await tempFolder(), "li.pem");
    const printed = await kaibo(["new", "li", "--out", file]);
    expect(printed).toMatch(/^ {2}HARNESS_KEYS=li=[A-Za-z0-9+/]{43}=$/m);
    expect(printed).toContain(`--key ${file}`);
    expect(printed).not.toContain("PRIVATE KEY");
  });

  it("prints it as JSON", async ({ expect }) => {
    const file = path.join(await tempFolder(), "li.pem");
    const key = parseJson(await kaibo(["new", "li", "--out", file, "--json"]));
    expect(key).toMatchObject({ keyId: "li", file, setting: expect.stringMatching(/^li=[A-Za-z0-9+/]{43}=$/) });
  });
});

describe("parseKeys", () => {
  it("names the file as the key", ({ expect }) => {
    const command = { name: "keys", action: "new", keyId: "release-1", file: "release-1.pem", json: false };
    expect(parseKeys(["new", "release-1"])).toEqual(command);
  });

  it.for([[[]], [["list"]], [["new"]], [["new", "a", "b"]], [["new", "李"]], [["new", "a", "--force"]]] as const)(
    "refuses %j",
    ([args], { expect }) => {
      expect(() => parseKeys(args)).toThrow(expect.objectContaining({ exitCode: 2 }));
    },
  );
});
