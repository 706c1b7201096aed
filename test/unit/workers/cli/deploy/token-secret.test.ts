import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { loadTokenSecret, readTokenSecret } from "../../../../../workers/cli/deploy/token-secret.ts";
import { ROOT } from "../../../../../workers/cli/local/project.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";

describe("loadTokenSecret", () => {
  it("makes a secret once, in a file for its owner alone", async ({ expect }) => {
    const file = path.join(await tempFolder(), "deep/er/secret");
    const secret = await loadTokenSecret(file);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await loadTokenSecret(file)).toBe(secret);
    expect(await readTokenSecret(file)).toBe(secret);
  });

  it("gives two runs at once the same secret", async ({ expect }) => {
    const file = path.join(await tempFolder(), "secret");
    const [one, two] = await Promise.all([loadTokenSecret(file), loadTokenSecret(file)]);
    expect(one).toBe(two);
  });

  it("keeps a secret that is there, and refuses one that is too short without showing it", async ({ expect }) => {
    const file = path.join(await tempFolder(), "secret");
    await writeFile(file, `${"a".repeat(32)}\n`);
    expect(await loadTokenSecret(file)).toBe("a".repeat(32));
    await writeFile(file, "hunter2");
    const refused: unknown = await loadTokenSecret(file).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ message: "The secret is too short." });
    expect(JSON.stringify(refused)).not.toContain("hunter2");
    expect(await readFile(file, "utf8")).toBe("hunter2");
  });

  it("keeps no secret within the sources", async ({ expect }) => {
    await expect(loadTokenSecret(path.join(ROOT, "token-secret"))).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe("readTokenSecret", () => {
  it("makes no file", async ({ expect }) => {
    await expect(readTokenSecret(path.join(await tempFolder(), "none"))).rejects.toMatchObject({
      why: expect.stringContaining("ENOENT"),
    });
  });
});
