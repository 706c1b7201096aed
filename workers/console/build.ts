/**
 * Builds the page: `node workers/console/build.ts [folder]`. Needs Node 24, which runs TypeScript as it is.
 * The result is plain files; every script and style is a file of its own, so that a strict content policy holds.
 */
import { copyFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";

const SOURCE_FOLDER = import.meta.dirname;

/** Where the page is built when nobody says otherwise: the folder that `wrangler.toml` serves. */
const DEFAULT_FOLDER = path.join(SOURCE_FOLDER, "dist");

/**
 * Builds `index.html`, `main.js`, `style.css`, `docs.css` and `icon.svg` into a folder, which is emptied first.
 *
 * @throws the bundler's error when a source does not compile or resolve.
 */
export async function buildConsole(outFolder: string = DEFAULT_FOLDER): Promise<void> {
  await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  await build({
    entryPoints: [
      path.join(SOURCE_FOLDER, "main.ts"),
      path.join(SOURCE_FOLDER, "style.css"),
      path.join(SOURCE_FOLDER, "docs.css"),
    ],
    outdir: outFolder,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2023", "chrome123", "firefox128", "safari17.5"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  for (const name of ["index.html", "icon.svg"]) {
    await copyFile(path.join(SOURCE_FOLDER, name), path.join(outFolder, name));
  }
}

if (import.meta.main) await buildConsole(process.argv[2]);
