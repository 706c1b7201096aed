/** The prompt of a bundle: sections, variables, order and size. */
import { listPlaceholders, TEMPLATE_VARIABLES, type TemplateScope } from "../shared/agent/prompt/template.ts";
import type { HarnessBundle } from "../shared/contract/harness-bundle.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { placeInWireForm, type PlaceOf } from "./place-of.ts";
import { errorAt, warningAt, type Place, type Problem } from "./problem.ts";

/** Estimated tokens of each part's own text, above which a warning comes: the part's price in every turn. */
const TOKENS_MAX: Readonly<Record<TemplateScope, number>> = { system: 4_000, merchant: 500, room: 500, turn: 300 };

/** Estimated tokens of one section. */
const SECTION_TOKENS_MAX = 1_500;

/** Variables without which the host does not know what it needs: a harness may leave them out, but not by accident. */
const EXPECTED: readonly string[] = [
  "merchant.rules",
  "room.catalogue",
  "room.faq",
  "turn.state",
  "turn.facts",
  "turn.changes",
];

/** Markers of chat templates: in a prompt they would open a message of their own. */
const CHAT_MARKER = /<\|[^\n]{0,40}\|>|<\/?think>|\[\/?INST\]/;

/** A section where it stands in the prompt; one that has no file is not among them. */
type Section = { readonly name: string; readonly scope: TemplateScope; readonly text: string };

/** A section's name where harness.json lists it. */
type Listed = { readonly name: string; readonly path: readonly PropertyKey[] };

const SCOPES: readonly TemplateScope[] = ["system", "merchant", "room", "turn"];

export function checkPrompt(bundle: HarnessBundle, at: PlaceOf = placeInWireForm): Problem[] {
  const listed = SCOPES.flatMap((scope) =>
    bundle.sections[scope].map((name, index) => ({ name, scope, path: ["sections", scope, index] })),
  );
  const sections = listed.flatMap(({ name, scope }) => {
    const text = Object.hasOwn(bundle.prompt, name) ? bundle.prompt[name] : undefined;
    return text === undefined ? [] : [{ name, scope, text }];
  });
  return [
    ...checkSectionNames(bundle, listed, at),
    ...sections.flatMap((section) => checkVariables(section, at)),
    ...sections.flatMap(({ name, text }) => chatMarkers(text, (line) => at(sectionFile(name), line))),
    ...checkUse(bundle, sections, at),
    ...checkTurnOrder(sections, at),
    ...checkTokens(sections, at),
  ];
}

/** Refuses text of the harness that the model would read as the frame of a message. */
export function chatMarkers(text: string, placeOfLine: (line: number) => Place): Problem[] {
  const found = CHAT_MARKER.exec(text);
  if (found === null) return [];
  const line = text.slice(0, found.index).split("\n").length;
  const message = `\`${found[0]}\` is a marker of a chat template`;
  return [errorAt("chat-marker", placeOfLine(line), message, "Say it in other words")];
}

function sectionFile(name: string): string {
  return `prompt/${name}.md`;
}

function checkSectionNames(bundle: HarnessBundle, listed: readonly Listed[], at: PlaceOf): Problem[] {
  const names = listed.map(({ name }) => name);
  const missing = listed.filter(({ name }) => !Object.hasOwn(bundle.prompt, name));
  const twice = listed.filter(({ name }, index) => names.indexOf(name) !== index);
  const unused = Object.keys(bundle.prompt).filter((name) => !names.includes(name));
  return [
    ...missing.map(({ name, path }) =>
      errorAt(
        "missing-section",
        at("harness.json", path),
        `There is no section \`${name}\``,
        `Add ${sectionFile(name)}, or take it out of \`sections\``,
      ),
    ),
    ...twice.map(({ name, path }) =>
      errorAt(
        "section-listed-twice",
        at("harness.json", path),
        `The section \`${name}\` is listed twice`,
        "Keep one of them",
      ),
    ),
    ...unused.map((name) =>
      errorAt(
        "unlisted-section",
        at(sectionFile(name)),
        "The section is in no part of the prompt",
        "List it in `sections` of harness.json, or remove the file",
      ),
    ),
  ];
}

function checkVariables({ name, scope, text }: Section, at: PlaceOf): Problem[] {
  const known: readonly string[] = TEMPLATE_VARIABLES[scope];
  return listPlaceholders(text).flatMap((placeholder) => {
    if (placeholder.name === null) {
      return [
        errorAt(
          "broken-placeholder",
          at(sectionFile(name), placeholder.line),
          "`{{` opens no placeholder",
          "Write `{{ name }}`, without anything else inside",
        ),
      ];
    }
    if (known.includes(placeholder.name)) return [];
    const elsewhere = SCOPES.find((other) => variablesOf(other).includes(placeholder.name ?? ""));
    const message =
      elsewhere === undefined
        ? `There is no variable \`${placeholder.name}\``
        : `The variable \`${placeholder.name}\` belongs to the part \`${elsewhere}\`, the section to \`${scope}\``;
    const code = elsewhere === undefined ? "unknown-variable" : "misplaced-variable";
    const place = at(sectionFile(name), placeholder.line);
    return [errorAt(code, place, message, `Variables of \`${scope}\`: ${known.join(", ")}`)];
  });
}

function checkUse(bundle: HarnessBundle, sections: readonly Section[], at: PlaceOf): Problem[] {
  const used = new Set(sections.flatMap(({ text }) => listPlaceholders(text).map(({ name }) => name)));
  const problems: Problem[] = [];
  if (!used.has("turn.messages")) {
    problems.push(
      errorAt(
        "question-unread",
        at("harness.json", ["sections", "turn"]),
        "No section holds `turn.messages`: the question would never be read",
        "Use `{{ turn.messages }}` in a section of `turn`",
      ),
    );
  }
  if (bundle.skills.length > 0 && !used.has("skills")) {
    problems.push(
      errorAt(
        "skills-unread",
        at("harness.json", ["sections", "system"]),
        "No section holds `skills`: no skill would ever be loaded",
        "Use `{{ skills }}` in a section of `system`",
      ),
    );
  }
  if (bundle.knowledge.length > 0 && !used.has("turn.knowledge")) {
    problems.push(
      errorAt(
        "knowledge-unread",
        at("harness.json", ["sections", "turn"]),
        "No section holds `turn.knowledge`: no entry would ever be read",
        "Use `{{ turn.knowledge }}` in a section of `turn`",
      ),
    );
  }
  // A strategist whose words reach no prompt costs its calls for nothing.
  const expected = bundle.strategy.isOn ? [...EXPECTED, "turn.strategy"] : EXPECTED;
  const unused = expected.filter((name) => !used.has(name));
  return [
    ...problems,
    ...unused.map((name) =>
      warningAt(
        "unused-variable",
        at("harness.json", ["sections"]),
        `No section holds \`${name}\``,
        `Use \`{{ ${name} }}\`, unless the host shall not know it`,
      ),
    ),
  ];
}

/** The question stands last among the evidence: what follows it is the harness's own last word. */
function checkTurnOrder(sections: readonly Section[], at: PlaceOf): Problem[] {
  const names = sections
    .filter(({ scope }) => scope === "turn")
    .flatMap((section) =>
      listPlaceholders(section.text).map(({ name, line }) => ({ section: section.name, name, line })),
    );
  const question = names.findIndex(({ name }) => name === "turn.messages");
  const late = question === -1 ? undefined : names[question + 1];
  if (late === undefined) return [];
  const message = `\`${late.name}\` stands after \`turn.messages\``;
  return [
    warningAt(
      "question-not-last",
      at(sectionFile(late.section), late.line),
      message,
      "Put the question last, so that nothing stands between it and the answer",
    ),
  ];
}

function checkTokens(sections: readonly Section[], at: PlaceOf): Problem[] {
  const large = sections.flatMap(({ name, text }) => {
    const tokens = estimateTokens(text);
    if (tokens <= SECTION_TOKENS_MAX) return [];
    return [
      warningAt(
        "too-many-tokens",
        at(sectionFile(name)),
        `About ${tokens} tokens, above ${SECTION_TOKENS_MAX}`,
        "Move what is needed now and then into a skill",
      ),
    ];
  });
  const parts = SCOPES.flatMap((scope) => {
    const tokens = sections
      .filter((section) => section.scope === scope)
      .reduce((sum, { text }) => sum + estimateTokens(text), 0);
    if (tokens <= TOKENS_MAX[scope]) return [];
    return [
      warningAt(
        "too-many-tokens",
        at("harness.json", ["sections", scope]),
        `The part \`${scope}\` is about ${tokens} tokens, above ${TOKENS_MAX[scope]}`,
        "Shorten its sections: every turn pays for them",
      ),
    ];
  });
  return [...large, ...parts];
}

function variablesOf(scope: TemplateScope): readonly string[] {
  return TEMPLATE_VARIABLES[scope];
}
