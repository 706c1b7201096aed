import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { requireSignature } from "../../../../../harness-kv/bundle-signature.ts";
import { harnessVersionSchema } from "../../../../../shared/contract/ids.ts";
import { pushBodySchema } from "../../../../../shared/contract/release.ts";
import { parseJson } from "../../../../../shared/core/json.ts";
import { parseHarness } from "../../../../../workers/cli/harness/harness-options.ts";
import { pushHarness } from "../../../../../workers/cli/harness/push-command.ts";
import { readHarness } from "../../../../../workers/cli/harness/read-harness.ts";
import { makeKey } from "../../../../../workers/cli/harness/signing-key.ts";
import { versionOf } from "../../../../../workers/cli/harness/version-of.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { aChannel, anEdge, aVersion, refusal, theReleases, theRooms } from "../an-edge.ts";

const SERVED = "07d1c0de".repeat(8);
const BASE = "/v1/harnesses/shop";
const RELEASES = `GET ${BASE}/releases`;

async function aFolder(): Promise<string> {
  const folder = await tempFolder();
  await writeFile(path.join(folder, "harness.json"), '{"extends": "live-host", "name": "shop"}');
  return folder;
}

async function push(
  args: readonly string[],
  { serves = SERVED, keyFile, ...answers }: { serves?: string | null; keyFile?: string; [route: string]: unknown } = {},
) {
  const folder = await aFolder();
  const { bundle } = await readHarness(folder);
  const version = await versionOf(bundle);
  const { api, asked } = anEdge({
    [RELEASES]: theReleases({ channels: serves === null ? [] : [aChannel(serves)] }),
    "POST /v1/harnesses": { name: "shop", version, bytes: 9, created: true, problems: [] },
    ...answers,
  });
  const command = parseHarness(["push", folder, ...args]);
  if (command.name !== "harness" || command.action !== "push") throw new Error("this is another command");
  let printed = "";
  const ports = { out: (text: string) => void (printed += text), paint: (_: string, text: string) => text, keyFile };
  const failure = await pushHarness(command, { ...ports, openApi: async () => api }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const body = pushBodySchema.safeParse(asked.find(({ route }) => route === "POST /v1/harnesses")?.body).data;
  return { printed, asked, failure, version, body: body?.schema === "kaibo.push/1" ? body : null };
}

describe("kaibo harness push", () => {
  it("says where the version comes from: from what production serves", async ({ expect }) => {
    const { body, printed, version } = await push(["--notes", "改了价格"]);
    expect(body).toMatchObject({ parent: SERVED, notes: "改了价格", signature: null, bundle: { name: "shop" } });
    expect(printed).toBe(`shop ${version} was added\n`);
  });

  it("has no parent where production serves nothing", async ({ expect }) => {
    expect((await push([], { serves: null })).body).toMatchObject({ parent: null });
  });

  it("takes a parent by its first digits", async ({ expect }) => {
    const other = `9f2c1a0b${"1".repeat(56)}`;
    const list = { versions: [aVersion(other)], nextCursor: null };
    const { body } = await push(["--parent", "9f2c1a0"], { [`GET ${BASE}/versions?limit=100`]: list });
    expect(body).toMatchObject({ parent: other });
  });

  it("signs with the key that is named, and else with the environment's", async ({ expect }) => {
    const folder = await tempFolder();
    const [li, wang] = [path.join(folder, "li.pem"), path.join(folder, "wang.pem")];
    const keys = [await makeKey("li", li), await makeKey("wang", wang)];
    const trusted = new Map(keys.map((key) => [key.keyId, Uint8Array.from(Buffer.from(key.publicKey, "base64"))]));
    const named = await push(["--key", li], { keyFile: wang });
    expect(named.body?.signature?.keyId).toBe("li");
    expect(named.printed).toContain(", signed with li\n");
    const signed = { name: "shop", version: harnessVersionSchema.parse(named.version) };
    await requireSignature(trusted, signed, named.body?.signature ?? null);
    expect((await push([], { keyFile: wang })).body?.signature?.keyId).toBe("wang");
    expect((await push([], { keyFile: "" })).body?.signature).toBeNull();
  });

  it("sends nothing where the key does not read", async ({ expect }) => {
    const { failure, asked } = await push(["--key", "/nonexistent.pem"]);
    expect(failure).toMatchObject({ message: "/nonexistent.pem is no signing key." });
    expect(asked).toEqual([]);
  });

  it("releases it with --channel, and says to how many rooms", async ({ expect }) => {
    const moved = { name: "shop", channel: "production", version: SERVED, previous: SERVED, rooms: theRooms(2) };
    const route = `PUT ${BASE}/channels/production`;
    const { printed, asked, version } = await push(["--channel", "production"], { [route]: moved });
    expect(asked.at(-1)).toEqual({ route, body: { version, expected: SERVED, merchant: "*" } });
    expect(printed).toMatch(/\nshop production: 07d1c0de → 07d1c0de\n2 rooms updated\n$/);
    const json = await push(["--channel", "production", "--json"], { [route]: moved });
    expect(parseJson(json.printed)).toMatchObject({
      parent: SERVED,
      signedBy: null,
      moved: true,
      rooms: { updated: 2 },
    });
  });

  it("says what to do where the deployment asks for a signature", async ({ expect }) => {
    const { failure } = await push([], { "POST /v1/harnesses": refusal("harness_unsigned", 422) });
    expect(failure).toMatchObject({ message: "Harness shop was refused.", next: expect.stringContaining("--key") });
  });
});
