/** What a table of commands is made of, and what many commands share. */

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

export const JSON_OUT: OptionEntry = { name: "json" };
export const INSTANCE: readonly OptionEntry[] = [
  { name: "url", value: "U" },
  { name: "token", value: "T" },
];
export const ROOM_OUT: OptionEntry = { name: "room", value: "R" };
export const CHANNELS = ["candidate", "canary", "production"];
