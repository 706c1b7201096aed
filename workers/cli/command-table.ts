/** Every command with its words and options: what the help shows and what a shell completes. */

export type OptionEntry = {
  /** Without its hyphens. */
  readonly name: string;
  /** Stands for the value in the help; absent for a switch. */
  readonly value?: string;
  /** Values that a shell offers; `file` and `folder` are names on the disk. */
  readonly offers?: readonly string[] | "file" | "folder";
  /** Absent: the help tells of it elsewhere. */
  readonly about?: string;
};

export type CommandEntry = {
  /** What is typed first: one word or two. */
  readonly words: readonly string[];
  /** What follows, as the help shows it. */
  readonly usage: string;
  readonly about: string;
  readonly offers?: OptionEntry["offers"];
  readonly options: readonly OptionEntry[];
};

const JSON_OUT: OptionEntry = { name: "json" };
const INSTANCE: readonly OptionEntry[] = [
  { name: "url", value: "U" },
  { name: "token", value: "T" },
];
const ENDPOINT: readonly OptionEntry[] = [JSON_OUT, { name: "instance", value: "U" }, { name: "token", value: "T" }];
const ROOM_OUT: OptionEntry = { name: "room", value: "R" };
const CHANNELS = ["candidate", "canary", "production"];

export const COMMANDS: readonly CommandEntry[] = [
  {
    words: ["ask"],
    usage: '"<text>" [--room R]',
    about: "send one message and print what is said",
    options: [
      { ...ROOM_OUT, about: "default: yanxuan-home, or the only room" },
      { ...JSON_OUT, about: "every event as one line of JSON" },
      { name: "timeout", value: "S", about: "seconds to wait for the end of the turn; default 60" },
      ...INSTANCE,
    ],
  },
  {
    words: ["token"],
    usage: "--aud room,operator",
    about: "print a token for this machine's instance",
    options: [
      {
        name: "aud",
        value: "A,B",
        offers: ["room", "operator", "analyst", "viewer", "governor"],
        about: "room, operator, analyst, viewer",
      },
      { ...ROOM_OUT, about: "default: *, every room" },
      { name: "ttl", value: "1h", about: "s, m, h or d; default 1h" },
      JSON_OUT,
    ],
  },
  {
    words: ["harness", "init"],
    usage: "<name>",
    about: "make the folder of a small harness that works",
    options: [{ name: "over", value: "B", about: "extend this harness instead: its name, or its folder" }, JSON_OUT],
  },
  {
    words: ["harness", "check"],
    usage: "<folder>",
    about: "say what is wrong with a harness, and what it costs",
    offers: "folder",
    options: [JSON_OUT],
  },
  {
    words: ["harness", "test"],
    usage: "<folder>",
    about: "answer the examples of its skills, with the offline policy",
    offers: "folder",
    options: [
      {
        name: "room",
        value: "R",
        offers: "file",
        about: "a folder of harness-kv/rooms, or a file; default: yanxuan-home",
      },
      JSON_OUT,
    ],
  },
  {
    words: ["harness", "diff"],
    usage: "<folder> [<other folder>]",
    about: "say what a folder changes, as a review",
    offers: "folder",
    options: [
      { name: "channel", value: "C", offers: CHANNELS, about: "against what a channel serves; default: production" },
      { name: "version", value: "V", about: "against a version" },
      JSON_OUT,
      ...INSTANCE,
    ],
  },
  {
    words: ["harness", "push"],
    usage: "<folder> [--channel production]",
    about: "add a version; with --channel, serve it",
    offers: "folder",
    options: [{ name: "channel", value: "C", offers: CHANNELS }, JSON_OUT, ...INSTANCE],
  },
  { words: ["endpoint", "list"], usage: "", about: "say which models answer, and how they do", options: ENDPOINT },
  { words: ["endpoint", "show"], usage: "<name>", about: "say all about one", options: ENDPOINT },
  {
    words: ["endpoint", "set"],
    usage: "<name> --url U --model M",
    about: "check a server and let turns use it; or change it",
    options: [
      { name: "url", value: "U", about: "base URL, usually with /v1" },
      { name: "model", value: "M", about: "as the server names it" },
      { name: "kind", value: "K", offers: ["vllm", "sglang", "openai"], about: "vllm, sglang or openai; default vllm" },
      {
        name: "key-binding",
        value: "INFERENCE_KEY_X",
        about: "the secret that holds the key; none for a server without one",
      },
      {
        name: "tier",
        value: "T",
        offers: ["main", "fallback"],
        about: "main, or fallback for when no main one can serve a turn; default main",
      },
      { name: "slots", value: "N", about: "calls that the server runs at once; default 16" },
      { name: "ceiling", value: "0.5", about: "share of the capacity that turns may use" },
      {
        name: "capacity",
        value: "C",
        offers: ["adaptive", "fixed", "unlimited"],
        about: "adaptive, fixed (as many as there are slots), or unlimited; default adaptive",
      },
      { name: "fields", value: "A,B", about: "request fields that it takes; auto for those that the check finds" },
      { name: "opens-thinking", about: "the answer begins inside a thought; --no-opens-thinking: it does not" },
      { name: "no-opens-thinking" },
      { name: "connect-timeout", value: "MS", about: "longest wait for the response's headers; default 2500" },
      { name: "enabled", about: "turns may use it; --disabled: none does" },
      { name: "disabled" },
      ...ENDPOINT,
    ],
  },
  { words: ["endpoint", "check"], usage: "<name>", about: "ask the server again what it can do", options: ENDPOINT },
  { words: ["endpoint", "remove"], usage: "<name>", about: "take it away", options: ENDPOINT },
  {
    words: ["chat", "bilibili"],
    usage: "--room R --auth <file>",
    about: "post the comments of a Bilibili live room, until Ctrl-C",
    options: [
      ROOM_OUT,
      {
        name: "auth",
        value: "FILE",
        offers: "file",
        about: "the platform's answer to /v2/app/start, or its auth_body alone",
      },
      { name: "ws", value: "U", about: "address of the connection; default: those in the file" },
      ...INSTANCE,
    ],
  },
  {
    words: ["completion", "bash"],
    usage: "",
    about: 'completion for a shell: eval "$(npx kaibo completion bash)"',
    options: [],
  },
  { words: ["completion", "zsh"], usage: "", about: "the same for zsh", options: [] },
];
