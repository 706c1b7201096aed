import type { CommandEntry, OptionEntry } from "./command-table.ts";

const USAGE_COLUMN = 47;
const OPTION_COLUMN = 33;

/** What `kaibo help` prints: each command in a line, then the options that need a word, then what holds for all. */
export function formatHelp(commands: readonly CommandEntry[]): string {
  const usages = commands.map(({ words, usage, about }) =>
    inColumns(`  npx kaibo ${[...words, usage].join(" ").trim()}`, about, USAGE_COLUMN),
  );
  const options = commands.flatMap(({ words, options: all }) => {
    const told = all.filter(({ about }) => about !== undefined);
    return told.map((option, index) => optionLine(index === 0 ? words.join(" ") : "", option));
  });
  return `Kaibo: AI hosts for live rooms.

${inColumns("  npm start", "run the whole product on this machine (PORT=8787)", USAGE_COLUMN)}
${usages.join("\n")}

${options.join("\n")}

  --json with any command that prints data: the answer as JSON, on standard output alone.
  endpoint set: what is not given stays as it is.

  For an instance elsewhere: KAIBO_URL and KAIBO_TOKEN; or --url U --token T with ask, chat and
  harness, --instance U --token T with endpoint.

  PORT             port of npm start; default 8787
  KAIBO_STATE_DIR  where this machine's rooms and secret are kept; default .wrangler
  NO_COLOR         no colours, whatever the terminal

  Exit codes: 0 it worked; 1 it did not work, was refused, or has faults; 2 the command was not understood.
`;
}

function optionLine(command: string, { name, value, about }: OptionEntry): string {
  const label = `  ${command.padEnd(13)}  --${name}${value === undefined ? "" : ` ${value}`}`;
  return inColumns(label, about ?? "", OPTION_COLUMN);
}

/** On the next line where the first column is too full. */
function inColumns(label: string, about: string, column: number): string {
  if (about === "") return label;
  return label.length < column - 1 ? label.padEnd(column) + about : `${label}\n${" ".repeat(column)}${about}`;
}
