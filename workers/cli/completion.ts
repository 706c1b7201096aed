/** Shell completion, made of the table that the help is made of. */
import type { CommandEntry, OptionEntry } from "./command-entry.ts";

export type Shell = "bash" | "zsh";

/** A script for the shell's start-up file. zsh runs bash's, by its own `bashcompinit`. */
export function completionScript(shell: Shell, commands: readonly CommandEntry[]): string {
  const script = bashScript(commands);
  return shell === "bash"
    ? script
    : `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function bashScript(commands: readonly CommandEntry[]): string {
  const first = [...new Set(["help", ...commands.map(({ words }) => words[0] ?? "")])];
  const groups = Map.groupBy(
    commands.filter(({ words }) => words.length > 1),
    ({ words }) => words[0] ?? "",
  );
  const second = [...groups].map(
    ([word, members]) => `    ${word}) _kaibo_offer -W ${listOf(members.map(({ words }) => words[1] ?? ""))} ;;`,
  );
  return `# Completion for kaibo. With npx: alias kaibo="npx kaibo"
_kaibo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" typed="" word
  (( COMP_CWORD > 0 )) && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    typed="$typed\${typed:+ }$word"
  done
  _kaibo_offer() { local IFS=$'\\n'; COMPREPLY=( $(compgen "$@" -- "$current") ); }
  case "$typed $previous" in
${commands.flatMap(valueCases).join("\n")}
  esac
  case "$typed" in
    "") _kaibo_offer -W ${listOf(first)} ;;
${second.join("\n")}
${commands.map(commandCase).join("\n")}
  esac
}
complete -o filenames -F _kaibo kaibo
`;
}

/** After an option that takes a value: what it offers, or nothing. */
function valueCases({ words, options }: CommandEntry): string[] {
  return options
    .filter(({ value }) => value !== undefined)
    .map(({ name, offers }) => `    ${casesOf(words, ` --${name}`)}) ${offerOf(offers)} return ;;`);
}

function commandCase({ words, options, offers }: CommandEntry): string {
  const flags = listOf(options.map(({ name }) => `--${name}`));
  const names = offers === undefined ? "" : ` ${offerOf(offers)}`;
  return `    ${casesOf(words, "")}) if [[ $current == -* ]]; then _kaibo_offer -W ${flags}; else :;${names} fi ;;`;
}

/** Patterns for a command, or one with words after it: `harness plan` is not the beginning of `harness plans`. */
function casesOf(words: readonly string[], end: string): string {
  const typed = words.join(" ");
  return end === "" ? `"${typed}"|"${typed} "*` : `"${typed}${end}"|"${typed} "*"${end}"`;
}

function offerOf(offers: OptionEntry["offers"]): string {
  if (offers === undefined) return "";
  if (offers === "folder") return "_kaibo_offer -d;";
  return offers === "file" ? "_kaibo_offer -f;" : `_kaibo_offer -W ${listOf(offers)};`;
}

/** Words parted by line ends, as `_kaibo_offer` reads them: names of files may hold spaces. */
function listOf(words: readonly string[]): string {
  return `$'${words.join("\\n")}'`;
}
