import type { CommandEntry, OptionEntry } from "./command-entry.ts";

const USAGE_COLUMN = 47;
/** As wide as the longest command. */
const COMMAND_COLUMNS = 16;
const OPTION_COLUMN = 36;

/** Options that mean the same with every command, where it says nothing of its own about them. */
const COMMON_ABOUT: Readonly<Record<string, string>> = {
  json: "the answer as JSON, on standard output alone",
  url: "address of an instance elsewhere; or KAIBO_URL",
  instance: "address of an instance elsewhere; or KAIBO_URL",
  token: "a token of that instance; or KAIBO_TOKEN",
};

/**
 * What `kaibo help` prints: each command in a line, then the options that need a word, then what holds for all.
 *
 * @param about - First words of the commands that are meant: those alone, with all of their options. Empty: all commands.
 */
export function formatHelp(commands: readonly CommandEntry[], about: readonly string[] = []): string {
  if (about.length === 0) return formatAll(commands);
  return commands
    .filter(({ words }) => about.every((word, index) => words[index] === word))
    .map(formatCommand)
    .join("\n");
}

function formatCommand({ words, usage, about, options }: CommandEntry): string {
  const lines = options.map((option) => {
    const told = option.about ?? COMMON_ABOUT[option.name] ?? offersOf(option);
    return inColumns(
      `      --${option.name}${option.value === undefined ? "" : ` ${option.value}`}`,
      told,
      OPTION_COLUMN,
    );
  });
  return [`npx kaibo ${[...words, usage].join(" ").trim()}`, `  ${about}`, ...lines]
    .map((line) => `${line}\n`)
    .join("");
}

function offersOf({ offers }: OptionEntry): string {
  return Array.isArray(offers) ? offers.join(", ") : "";
}

function formatAll(commands: readonly CommandEntry[]): string {
  const usages = commands.map(({ words, usage, about }) =>
    inColumns(`  npx kaibo ${[...words, usage].join(" ").trim()}`, about, USAGE_COLUMN),
  );
  const options = commands.flatMap(({ words, options: all }) => {
    const told = all.filter(({ about }) => about !== undefined);
    return told.map((option, index) => optionLine(index === 0 ? words.join(" ") : "", option));
  });
  return `Kaibo: AI hosts for live rooms.

${usages.join("\n")}

${options.join("\n")}

  npx kaibo <command> --help: that command alone, with all of its options.
  --json with any command that prints data: the answer as JSON, on standard output alone.
  endpoint set: what is not given stays as it is.

  For an instance elsewhere: KAIBO_URL and KAIBO_TOKEN; or --url U --token T, and
  --instance U --token T with endpoint.

  PORT             port of npm start; default 8787
  KAIBO_STATE_DIR  where this machine's rooms and secret are kept; default .wrangler
  NO_COLOR         no colours, whatever the terminal

  Exit codes: 0 it worked; 1 it did not work, was refused, or has faults; 2 the command was not understood.
`;
}

function optionLine(command: string, { name, value, about }: OptionEntry): string {
  const label = `  ${command.padEnd(COMMAND_COLUMNS)}  --${name}${value === undefined ? "" : ` ${value}`}`;
  return inColumns(label, about ?? "", OPTION_COLUMN);
}

/** On the next line where the first column is too full. */
function inColumns(label: string, about: string, column: number): string {
  if (about === "") return label;
  return label.length < column - 1 ? label.padEnd(column) + about : `${label}\n${" ".repeat(column)}${about}`;
}
