import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { findInstance, removeInstance, writeInstance } from "../../../../../workers/cli/local/instance-file.ts";

const tokens = { room: "r", operator: "o", analyst: "a", viewer: "v", governor: "g", page: "p" };
const instance = { url: "http://127.0.0.1:8787", pid: process.pid, tokens };

describe("findInstance", () => {
  it("finds what was written, until it is removed", async ({ expect }) => {
    const folder = await tempFolder();
    expect(await findInstance(folder)).toBeNull();
    await writeInstance(folder, instance);
    expect(await findInstance(folder)).toEqual(instance);
    await removeInstance(folder);
    expect(await findInstance(folder)).toBeNull();
  });

  it("passes over an instance whose process has died", async ({ expect }) => {
    const folder = await tempFolder();
    const child = spawn(process.execPath, ["--version"]);
    await once(child, "close");
    await writeInstance(folder, { ...instance, pid: child.pid ?? 0 });
    expect(await findInstance(folder)).toBeNull();
  });

  it.for(["", "{", '{"url":"http://a"}'])("passes over a file that holds %j", async (text, { expect }) => {
    const folder = await tempFolder();
    await writeInstance(folder, instance);
    await writeFile(path.join(folder, "kaibo/instance.json"), text);
    expect(await findInstance(folder)).toBeNull();
  });
});

describe("writeInstance", () => {
  it("lets only the owner read the tokens, also where an open file lay", async ({ expect }) => {
    const folder = await tempFolder();
    await writeInstance(folder, instance);
    const file = path.join(folder, "kaibo/instance.json");
    await rm(file);
    await writeFile(file, "{}", { mode: 0o644 });
    await writeInstance(folder, instance);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });
});
