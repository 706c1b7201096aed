/**
 * Makes node_modules fit package-lock.json: `node workers/cli/ensure-installed.mjs`. Takes milliseconds when it does.
 *
 * It runs before anything is installed and under any Node that a machine may have, so that an old one gets a sentence
 * instead of a syntax error: no import but Node's own, and no syntax after 2019.
 */
import { spawn, spawnSync } from "child_process";
import { createHash } from "crypto";
import { chmodSync, existsSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "fs";
import path from "path";
import { fileURLToPath } from "url";

/** Oldest Node that npm and the installation run under. The product itself runs under the Node 24 that npm installs. */
const NODE_MAJOR_MIN = 20;

/** Node that the package `node` brings; it runs the TypeScript sources as they are. */
const OWN_NODE_MAJOR = 24;

/** How often a long installation says that it still works, ms. */
const SIGN_OF_LIFE_MS = 5000;

/** Characters of npm's own words that are kept for the error's text. */
const NPM_WORDS_MAX = 20000;

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** The sentence for a Node that is too old, or null. */
export function oldNodeSentence(version) {
  if (Number(version.split(".")[0]) >= NODE_MAJOR_MIN) return null;
  return sentence(
    "Kaibo needs Node " + NODE_MAJOR_MIN + " or newer; this is Node " + version + ".",
    "npm and the tools that it installs do not run on older ones.",
    "Install a current Node from https://nodejs.org (or `nvm install --lts`), then run the command again.",
  );
}

/** The sentence for a package-lock.json that npm could not use, or null. `text` is null when there is no such file. */
export function brokenLockSentence(text) {
  if (text === null) {
    return sentence("package-lock.json is missing.", "It names every package that Kaibo runs with.", RESTORE_LOCK);
  }
  const lock = readJson(text);
  if (lock !== null && typeof lock === "object" && lock.lockfileVersion >= 2 && isObject(lock.packages)) return null;
  const conflict = /^(<{7}|={7}|>{7})/m.test(text);
  return sentence(
    "package-lock.json is broken.",
    conflict ? "It holds the marks of a merge that was not finished." : "It is not the JSON that npm writes.",
    RESTORE_LOCK,
  );
}

const RESTORE_LOCK = "Restore it with `git checkout -- package-lock.json`, then run the command again.";

/** True when what npm has installed is what the lock names. Packages for other platforms may be absent. */
export function isInstalled(lockText, installedText) {
  const lock = readJson(lockText);
  const installed = installedText === null ? null : readJson(installedText);
  if (lock === null || installed === null || !isObject(lock.packages) || !isObject(installed.packages)) return false;
  const wanted = Object.keys(lock.packages).filter((name) => name !== "");
  return (
    wanted.every((name) => {
      const there = installed.packages[name];
      if (there === undefined) return lock.packages[name].optional === true || lock.packages[name].devOptional === true;
      return there.version === lock.packages[name].version;
    }) && Object.keys(installed.packages).every((name) => lock.packages[name] !== undefined)
  );
}

/** The sentence for an `npm ci` that failed, from what it wrote. */
export function npmFailureSentence(words) {
  if (/EUSAGE|in sync|Missing: .* from lock file|Invalid: lock file/.test(words)) {
    return sentence(
      "package-lock.json does not fit package.json.",
      "One of them was changed without the other, so npm refuses to guess which packages are meant.",
      "If you changed package.json, run `npm install` once; if not, `git checkout -- package.json package-lock.json`.",
    );
  }
  if (/EINTEGRITY/.test(words)) {
    return sentence(
      "A downloaded package is not the one that package-lock.json names.",
      "Its digest differs: a broken download, a broken cache or a changed lock file.",
      "Run `npm cache clean --force`, then the command again; if it stays, " + lowerFirst(RESTORE_LOCK),
    );
  }
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENOTCACHED|ENETUNREACH|network/.test(words)) {
    return sentence(
      "npm could not reach its registry.",
      "The first start downloads the packages (about 100 MB); every later one needs no network.",
      "Check the connection and `npm config get registry`, then run the command again.",
    );
  }
  if (/ENOSPC/.test(words)) {
    return sentence("The disk is full.", "The packages need about 700 MB.", "Free some space, then run it again.");
  }
  if (/EACCES|EPERM/.test(words)) {
    return sentence(
      "npm may not write to node_modules.",
      "The folder, or a file in it, belongs to someone else.",
      'Give the folder to your user (`sudo chown -R "$USER" node_modules`), then run the command again.',
    );
  }
  return sentence(
    "npm could not install the packages.",
    (/^npm error (?!code )(.+)$/m.exec(words) || ["", "it gave no reason"])[1],
    "Run `npm ci` to see all that it says; when it passes, run the command again.",
  );
}

/**
 * Installs what is missing.
 *
 * @param say - Takes lines for people while it works.
 * @returns null when all is there, else the sentence that says what to do.
 */
export async function ensureInstalled(say) {
  const old = oldNodeSentence(process.versions.node);
  if (old !== null) return old;
  const lockText = readText(path.join(ROOT, "package-lock.json"));
  const broken = brokenLockSentence(lockText);
  if (broken !== null) return broken;

  const modules = path.join(ROOT, "node_modules");
  const mark = path.join(modules, ".kaibo-lock-hash");
  const hash = createHash("sha256").update(lockText).digest("hex");
  if (readText(mark) === hash && existsSync(ownNode())) return null;

  const isThere = isInstalled(lockText, readText(path.join(modules, ".package-lock.json"))) && existsSync(ownNode());
  if (!isThere) {
    say("installing packages with `npm ci` (once; about half a minute, needs the network)");
    const failure = await npmCi(say);
    if (failure !== null) return failure;
  }
  const missing = await checkTools();
  if (missing !== null) return missing;
  linkCommand(modules);
  writeFileSync(mark, hash);
  if (!isThere) say("packages are installed");
  return null;
}

/** Path of the Node that runs the product. */
export function ownNode() {
  return path.join(ROOT, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
}

function npmCi(say) {
  const startedMs = Date.now();
  const child = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    // Nobody answers questions here, and the project's own folder of tools is emptied while npm runs.
    stdio: ["ignore", "inherit", "pipe"],
    env: Object.assign({}, process.env, { PATH: pathWithout(path.join(ROOT, "node_modules", ".bin")) }),
    shell: process.platform === "win32",
  });
  let words = "";
  child.stderr.on("data", (bytes) => {
    words = (words + bytes).slice(-NPM_WORDS_MAX);
  });
  const signOfLife = setInterval(() => {
    say("still installing, " + Math.round((Date.now() - startedMs) / 1000) + " s");
  }, SIGN_OF_LIFE_MS);
  return new Promise((resolve) => {
    const end = (failure) => {
      clearInterval(signOfLife);
      resolve(failure);
    };
    child.once("error", () => {
      end(
        sentence(
          "The command npm was not found.",
          "It comes with Node and installs the packages.",
          "Install Node from https://nodejs.org (it brings npm), then run the command again.",
        ),
      );
    });
    child.once("close", (code) => end(code === 0 ? null : npmFailureSentence(words)));
  });
}

/**
 * The package `node` fetches its binary in an install script. Where npm is told not to run those, it is run here:
 * it is the one script that Kaibo cannot do without.
 */
async function checkTools() {
  if (!existsSync(ownNode())) {
    spawnSync(process.execPath, ["installArchSpecificPackage.js"], {
      cwd: path.join(ROOT, "node_modules", "node"),
      stdio: "inherit",
    });
  }
  const version = run(ownNode(), ["--version"]);
  if (!version.startsWith("v" + OWN_NODE_MAJOR + ".")) {
    return sentence(
      "The Node that Kaibo runs on was not installed.",
      "The package `node` brings it in an install script, and that script did not do its work here.",
      "Run `npm rebuild node --foreground-scripts` to see why, then the command again.",
    );
  }
  const workerd = run(path.join(ROOT, "node_modules", ".bin", "workerd"), ["--version"]);
  if (workerd.startsWith("workerd")) return null;
  return sentence(
    "The Workers runtime does not run on this machine.",
    "workerd needs 64-bit Linux with glibc 2.35 or newer, macOS 13.5 or newer, or Windows.",
    "On another system, run Kaibo in a container, for example node:24-bookworm.",
  );
}

function run(file, args) {
  const done = spawnSync(file, args, { encoding: "utf8", shell: process.platform === "win32" });
  return done.status === 0 ? done.stdout : "";
}

/** Lets `npx kaibo` find the project's own command at once. npm links only other packages' commands. */
function linkCommand(modules) {
  const command = path.join(ROOT, "workers", "cli", "kaibo.mjs");
  const link = path.join(modules, ".bin", "kaibo");
  if (process.platform === "win32" || existsSync(link)) return;
  chmodSync(command, 0o755);
  symlinkSync(path.relative(path.dirname(link), command), link);
}

function pathWithout(folder) {
  return (process.env.PATH || "")
    .split(path.delimiter)
    .filter((entry) => path.resolve(entry) !== folder)
    .join(path.delimiter);
}

function sentence(what, why, next) {
  return what + "\n  Why:  " + why + "\n  Next: " + next + "\n";
}

function lowerFirst(text) {
  return text[0].toLowerCase() + text.slice(1);
}

function isObject(value) {
  return typeof value === "object" && value !== null;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

function isMain() {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
}

if (isMain()) {
  void ensureInstalled((line) => process.stdout.write("kaibo: " + line + "\n")).then((failure) => {
    if (failure === null) return;
    process.stderr.write("kaibo: " + failure);
    process.exitCode = 1;
  });
}
