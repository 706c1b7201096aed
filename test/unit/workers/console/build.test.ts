import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "vitest";
import { buildConsole } from "../../../../workers/console/build.ts";

/**
 * Bytes of the script before compression, of which a quarter are texts in two languages; 30,000 travel. Much more means that
 * a library has slipped in.
 */
const SCRIPT_BYTES_MAX = 80_000;

describe("buildConsole", () => {
  it("builds a page that a strict content policy lets run, without a library in it", async ({
    expect,
    onTestFinished,
  }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "console-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await buildConsole(folder);
    expect((await readdir(folder)).toSorted()).toEqual(["docs.css", "icon.svg", "index.html", "main.js", "style.css"]);
    const html = await readFile(path.join(folder, "index.html"), "utf8");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:/i);
    const script = await readFile(path.join(folder, "main.js"));
    expect(script.byteLength).toBeLessThan(SCRIPT_BYTES_MAX);
    expect(script.toString()).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  });
});
