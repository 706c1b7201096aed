import { CliError } from "../../../../workers/cli/cli-error.ts";

/** How a command line is refused. @throws when it is accepted, or fails otherwise */
export function refusalOf(parse: (args: readonly string[]) => unknown, args: readonly string[]): CliError {
  try {
    parse(args);
  } catch (thrown) {
    if (thrown instanceof CliError) return thrown;
    throw thrown;
  }
  throw new Error(`${args.join(" ")} was accepted`);
}
