/** The commands around harness versions: pushed, looked at, released, judged, audited. */
import { CHANNELS, INSTANCE, JSON_OUT, ROOM_OUT, type CommandEntry, type OptionEntry } from "../command-entry.ts";

const INSTANCE_JSON: readonly OptionEntry[] = [JSON_OUT, ...INSTANCE];
const CHANNEL: OptionEntry = { name: "channel", value: "C", offers: CHANNELS };
const MERCHANT: OptionEntry = { name: "merchant", value: "M" };
const EXPECTED: OptionEntry = {
  name: "expected",
  value: "V",
  about: "only if the channel serves this, or none; default: what it serves now",
};
const STATUSES = ["waiting", "released", "refused", "withdrawn"];
const CONDITIONS = ["patch_not_empty", "source_traceable", "boundary_improves", "holdout_holds"];

export const RELEASE_COMMANDS: readonly CommandEntry[] = [
  {
    words: ["harness", "push"],
    usage: "<folder> [--channel production]",
    about: "add a version; with --channel, serve it",
    offers: "folder",
    options: [
      CHANNEL,
      { name: "notes", value: "TEXT", about: "what was changed, and why" },
      { name: "parent", value: "V", about: "the version it was made from; default: what production serves" },
      { name: "key", value: "FILE", offers: "file", about: "sign with this private key; or KAIBO_SIGNING_KEY" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "list"],
    usage: "<name>",
    about: "say which versions there are, newest first, and what each serves",
    options: [{ name: "limit", value: "N", about: "versions at most; default 20" }, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "show"],
    usage: "<name> [<version>]",
    about: "say what rooms run, by channel, canary and pin; or all about a version",
    options: [{ ...CHANNEL, about: "the version that a channel serves" }, MERCHANT, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "pull"],
    usage: "<name> [<version>]",
    about: "write a version as a folder; default: what production serves",
    options: [
      { ...CHANNEL, about: "the version that a channel serves" },
      MERCHANT,
      { name: "to", value: "FOLDER", offers: "folder", about: "default: the harness's name" },
      { name: "force", about: "replace the harness that a folder holds; examples and notes stay" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "release"],
    usage: "<name> <version>",
    about: "let a channel serve a version; its first 7 digits are enough",
    options: [
      { ...CHANNEL, about: "default: production" },
      { ...MERCHANT, about: "a channel of this merchant's own" },
      EXPECTED,
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "plan"],
    usage: "<name> <version> --in 2h",
    about: "plan a release: for a time, or for somebody else to approve",
    options: [
      { ...CHANNEL, about: "default: production" },
      { ...MERCHANT, about: "a channel of this merchant's own" },
      { name: "at", value: "T", about: '"2026-12-03 20:00", in this machine\'s zone, or with one: +08:00' },
      { name: "in", value: "2h", about: "so long from now: s, m, h or d; without a time: as soon as it may" },
      EXPECTED,
      { name: "note", value: "TEXT", about: "why" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "plans"],
    usage: "<name>",
    about: "say what is planned, and what became of it, newest first",
    options: [
      { name: "status", value: "S", offers: STATUSES, about: `${STATUSES.join(", ")}; default: all` },
      { name: "limit", value: "N", about: "plans at most; default 20" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "approve"],
    usage: "<name> <plan>",
    about: "agree to somebody else's plan; what is due is released at once",
    options: INSTANCE_JSON,
  },
  {
    words: ["harness", "withdraw"],
    usage: "<name> <plan>",
    about: "take a plan back",
    options: INSTANCE_JSON,
  },
  {
    words: ["harness", "rollback"],
    usage: "<name>",
    about: "let a channel serve what it served before",
    options: [CHANNEL, MERCHANT, { ...EXPECTED, about: "only if the channel serves this" }, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "canary"],
    usage: "<name> [<version> --share 5]",
    about: "say how canaries do; or give a version to a share of the rooms",
    options: [
      { name: "share", value: "5", about: "per cent of the rooms; a larger one only adds rooms" },
      { name: "rooms", value: "A,B", about: "rooms that are in it whatever the share" },
      { name: "end", about: "without a version: its rooms go back to what their channel serves" },
      { ...MERCHANT, about: "of this merchant's rooms" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "limits"],
    usage: "<name>",
    about: "say when a canary is rolled back; or, as a governor, set that",
    options: [
      {
        name: "alpha",
        value: "0.01",
        about: "chance that one within its margins is rolled back; what is left out stays",
      },
      { name: "turns-min", value: "20", about: "turns of the canary before any verdict" },
      { name: "rooms-min", value: "3", about: "rooms of the canary that the event was seen in" },
      { name: "slow-ms", value: "8100", about: "a turn that takes longer is slow" },
      { name: "error", value: "0.02", about: "share of turns that may fail more than production's" },
      { name: "fallback", value: "0.03", about: "the same for lines that stand for an answer" },
      { name: "blocked", value: "0.05", about: "the same for what a hook refuses" },
      { name: "slow", value: "0.05", about: "the same for slow turns" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "pin"],
    usage: "<name> <version> --room R",
    about: "keep a room, or with --merchant M a merchant, on one version",
    options: [ROOM_OUT, MERCHANT, { name: "note", value: "TEXT", about: "why" }, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "unpin"],
    usage: "<name> --room R",
    about: "let it follow its channel again",
    options: [ROOM_OUT, MERCHANT, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "freeze"],
    usage: '<name> --reason "<text>"',
    about: "stop releases; rollbacks stay possible",
    options: [
      { name: "reason", value: "TEXT" },
      { ...MERCHANT, about: "of this merchant's own channels" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "unfreeze"],
    usage: "<name>",
    about: "allow releases again; for who froze it, or a governor with --token",
    options: [MERCHANT, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "revoke"],
    usage: '<name> <version> --reason "<text>"',
    about: "take a version out of service, for good",
    options: [{ name: "reason", value: "TEXT" }, ...INSTANCE_JSON],
  },
  {
    words: ["harness", "gate"],
    usage: "<name> <version>",
    about: "say which conditions of the gate hold; or, as a governor, judge one",
    options: [
      { name: "condition", value: "C", offers: CONDITIONS, about: `for governors: ${CONDITIONS.join(", ")}` },
      { name: "ok", about: "it holds; --not-ok: it does not" },
      { name: "not-ok" },
      { name: "details", value: "K=V,…", about: "what was measured" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["harness", "backup"],
    usage: "<name> [<version>]",
    about: "say what rooms get when theirs is damaged; or, as a governor, set it",
    options: [{ name: "none", about: "keep no backup" }, ...INSTANCE_JSON],
  },
  {
    words: ["keys", "new"],
    usage: "<id>",
    about: "make a key that signs versions, and say how the deployment is told of it",
    options: [{ name: "out", value: "FILE", offers: "file", about: "default: <id>.pem; never overwritten" }, JSON_OUT],
  },
  {
    words: ["audit", "list"],
    usage: "",
    about: "say who changed the registry, oldest first",
    options: [
      { name: "after", value: "N", about: "from the row after this one" },
      { name: "limit", value: "N", about: "rows at most; default 50" },
      ...INSTANCE_JSON,
    ],
  },
  {
    words: ["audit", "verify"],
    usage: "[--expect-head N:HASH]",
    about: "check that no row of the log was changed or dropped",
    options: [
      {
        name: "expect-head",
        value: "H",
        about: "the head that an earlier check printed: only this shows that a log was cut short",
      },
      { name: "from-file", value: "FILE", offers: "file", about: "check what audit list --json printed instead" },
      ...INSTANCE_JSON,
    ],
  },
];
