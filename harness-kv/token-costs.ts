/** What a harness's own text costs, estimated: by section, and by what is read only now and then. */
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/** `system` to `turn`, `tools` and `catalogue` stand in every turn's prompt; a `skill` costs when it is loaded. */
export type TokenPart = "system" | "merchant" | "room" | "turn" | "catalogue" | "tools" | "skill";

export type TokenCost = { readonly part: TokenPart; readonly name: string; readonly tokens: number };

const SCOPES = ["system", "merchant", "room", "turn"] as const;

/** What a row counts. */
export type TokenText = Omit<TokenCost, "tokens"> & { readonly text: string };

/** One row for each section, in the order of the prompt; then descriptions of skills, tools, and the skills' bodies. Estimates. */
export function tokenCosts(bundle: HarnessBundle): TokenCost[] {
  return tokenTexts(bundle).map(({ part, name, text }) => ({ part, name, tokens: estimateTokens(text) }));
}

/** The texts of {@link tokenCosts}, for who counts otherwise. */
export function tokenTexts({ sections, prompt, skills, tools }: HarnessBundle): TokenText[] {
  const texts = SCOPES.flatMap((part) =>
    sections[part].map((name) => ({ part, name, text: Object.hasOwn(prompt, name) ? (prompt[name] ?? "") : "" })),
  );
  return [
    ...texts,
    ...skills.map(({ name, description }) => ({ part: "catalogue" as const, name, text: name + description })),
    ...tools.map(({ name, description, inputSchema }) => ({
      part: "tools" as const,
      name,
      text: name + description + JSON.stringify(inputSchema),
    })),
    ...skills.map(({ name, body, resources }) => ({
      part: "skill" as const,
      name,
      text: [body, ...Object.values(resources)].join("\n"),
    })),
  ];
}

/** What every turn pays for, before the room's and the turn's own evidence. */
export function tokensEveryTurn(costs: readonly TokenCost[]): number {
  return costs.reduce((sum, { part, tokens }) => sum + (part === "skill" ? 0 : tokens), 0);
}
