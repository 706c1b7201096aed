/** Wrangler with an account behind it. What it prints is what Wrangler 4.156.2 printed against an emulated API. */
import type { Ran, RunWrangler } from "../../../../../workers/cli/deploy/wrangler.ts";

export type FakeAccount = {
  accounts: { id: string; name: string }[] | null;
  /** Ids by name. */
  kv: Map<string, string>;
  d1: Map<string, string>;
  /** Values by name; `null`: there is no Worker. */
  secrets: Map<string, string> | null;
  migrations: number;
};

export function anAccount(given: Partial<FakeAccount> = {}): FakeAccount {
  return {
    accounts: [{ id: "acc1", name: "Acme" }],
    kv: new Map(),
    d1: new Map(),
    secrets: null,
    migrations: 3,
    ...given,
  };
}

export const KV_ID = "fffffffffffffffffffffffffffffff0";
export const D1_ID = "11111111-2222-3333-4444-555555555550";
export const VERSION = "d0000000-0000-0000-0000-000000000001";

/**
 * @param broken - First words of a command that fails, with what it says.
 */
export function fakeWrangler(account: FakeAccount, broken?: { readonly words: string; readonly says: string }) {
  const calls: string[] = [];
  const wrangler: RunWrangler = async (args, input) => {
    const line = args.join(" ");
    calls.push(line);
    if (broken !== undefined && line.startsWith(broken.words)) return failed(broken.says);
    const answer = ANSWERS.find(([words]) => line.startsWith(words));
    if (answer === undefined) throw new Error(`The fake knows no: wrangler ${line}`);
    return answer[1](account, args, input ?? "");
  };
  return { wrangler, calls };
}

type Answer = (account: FakeAccount, args: readonly string[], input: string) => Ran;

const ANSWERS: readonly (readonly [string, Answer])[] = [
  [
    "whoami --json",
    ({ accounts }) =>
      accounts === null
        ? { code: 1, stdout: '\n{"loggedIn":false}\n', stderr: "" }
        : printed(JSON.stringify({ loggedIn: true, authType: "User API Token", email: "op@acme.example", accounts })),
  ],
  [
    "kv namespace list",
    ({ kv }) => printed(JSON.stringify([...kv].map(([title, id]) => ({ id, title, supports_url_encoding: true })))),
  ],
  [
    "d1 list --json",
    ({ d1 }) => printed(JSON.stringify([...d1].map(([name, uuid]) => ({ uuid, name, version: "production" })))),
  ],
  [
    "secret list",
    ({ secrets }, args) =>
      secrets === null
        ? failed(
            `✘ [ERROR] Worker "${args[3]}" not found.\n\n  \n  If this is a new Worker, run \`wrangler deploy\` first to create it.`,
          )
        : printed(JSON.stringify([...secrets.keys()].map((name) => ({ name, type: "secret_text" })))),
  ],
  [
    "kv namespace create",
    ({ kv }, [, , , title = ""]) => {
      kv.set(title, KV_ID);
      return printed(
        `Resource location: remote \n\n🌀 Creating namespace with title "${title}"\n✨ Success!\nTo access your new KV Namespace in your Worker, add the following snippet to your configuration file:\n[[kv_namespaces]]\nbinding = "kaibo_harness_kv"\nid = "${KV_ID}"\n`,
      );
    },
  ],
  [
    "d1 create",
    ({ d1 }, [, , name = ""]) => {
      d1.set(name, D1_ID);
      return printed(
        `✅ Successfully created DB '${name}' in region APAC\nCreated your new D1 database.\n\nTo access your new D1 Database in your Worker, add the following snippet to your configuration file:\n[[d1_databases]]\nbinding = "kaibo_registry_db"\ndatabase_name = "${name}"\ndatabase_id = "${D1_ID}"\n`,
      );
    },
  ],
  [
    "d1 migrations apply",
    (account) => {
      const { migrations } = account;
      account.migrations = 0;
      if (migrations === 0) return printed("Resource location: remote \n\n✅ No migrations to apply!\n");
      return printed(
        `? About to apply ${migrations} migration(s)\nYour database may not be available to serve requests`,
      );
    },
  ],
  ["deploy --dry-run", () => printed("Total Upload: 1641.24 KiB / gzip: 463.95 KiB\n\n--dry-run: exiting now.\n")],
  [
    "deploy",
    (account) => {
      account.secrets ??= new Map();
      return printed(
        `Total Upload: 1641.24 KiB / gzip: 463.95 KiB\nWorker Startup Time: 12 ms\nUploaded kaibo (0.64 sec)\nDeployed kaibo triggers (0.02 sec)\n  https://kaibo.acme.workers.dev\nCurrent Version ID: ${VERSION}\n`,
      );
    },
  ],
  [
    "secret put",
    ({ secrets }, [, , name = ""], input) => {
      secrets?.set(name, input);
      return printed(`🌀 Creating the secret for the Worker "kaibo"\n✨ Success! Uploaded secret ${name}\n`);
    },
  ],
  [
    "delete",
    (account) => {
      account.secrets = null;
      return printed("Successfully deleted kaibo\n");
    },
  ],
  [
    "kv namespace delete",
    ({ kv }, args) => {
      for (const [title, id] of kv) if (args.includes(id)) kv.delete(title);
      return printed("Deleted KV namespace\n");
    },
  ],
  [
    "d1 delete",
    ({ d1 }, [, , name = ""]) => {
      d1.delete(name);
      return printed(`Deleted '${name}' successfully.\n`);
    },
  ],
];

function printed(stdout: string): Ran {
  return { code: 0, stdout, stderr: "" };
}

function failed(stderr: string): Ran {
  return {
    code: 1,
    stdout: "",
    stderr: `${stderr}\n\n🪵  Logs were written to "/home/op/.config/.wrangler/logs/w.log"\n`,
  };
}
