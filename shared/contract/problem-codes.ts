/**
 * Everything that can be wrong with a harness, by its code. Codes are for programs and stay; the texts say what kind of
 * fault each is. Whether a problem stops a push is said by its severity.
 */
export const PROBLEM_CODES = {
  // Files
  "no-settings": "there is no harness.json",
  "stray-file": "a file stands where nothing reads it",
  "left-out": "a file for people, or a hidden one, is no part of the harness",
  "unclean-text": "a text holds a control character or half of a character",
  "not-json": "a file is not JSON",
  "not-yaml": "front matter is not YAML",
  "no-front-matter": "a Markdown file lacks its front matter",
  "misread-value": "YAML would misread a value; it was taken as text",
  "lost-comment": "YAML takes the rest of a value as a comment",
  "duplicate-key": "a key stands twice in an object",
  "name-mismatch": "a name is not that of its file or folder",
  // Schema
  "unknown-field": "a field that no one reads",
  "missing-field": "a field is missing",
  "invalid-value": "a value is of the wrong type, or out of its bounds",
  "unknown-event": "a hook waits for an event that does not exist",
  // Base
  "unknown-base": "the harness that this one extends was not found",
  "base-cycle": "a harness extends itself",
  "no-own-name": "a harness that extends another has no name of its own",
  "removes-nothing": "what is to be taken out of the base is not in it",
  // The whole
  "bundle-too-large": "the bundle does not fit in the registry",
  "duplicate-name": "a name stands twice",
  "does-not-compile": "all parts pass and the whole cannot run",
  // Prompt
  "empty-section": "a section holds nothing",
  "missing-section": "a listed section has no file",
  "section-listed-twice": "a section is listed twice",
  "unlisted-section": "a section is in no part of the prompt",
  "unknown-variable": "a template names a variable that does not exist",
  "misplaced-variable": "a variable belongs to another part of the prompt",
  "broken-placeholder": "`{{` opens no placeholder",
  "chat-marker": "a text holds a marker of a chat template",
  "question-unread": "no section holds the question",
  "skills-unread": "no section holds the skills",
  "knowledge-unread": "no section holds the knowledge",
  "unused-variable": "no section holds what a host usually needs",
  "question-not-last": "evidence stands after the question",
  "too-many-tokens": "a text is long for what it is",
  // Tools
  "reserved-name": "a tool has the name of the engine's own",
  "unknown-builtin": "a tool is bound to code that does not exist",
  "calls-out": "a tool calls another origin",
  "plain-secret": "a secret would be sent without encryption",
  "undescribed-argument": "a required argument is not described",
  "optional-argument": "an argument may be left out",
  "untyped-argument": "an argument has no type",
  "unportable-schema": "not every engine takes the arguments' schema",
  "missing-tool": "a tool is named that does not exist",
  // Skills
  "no-skill-file": "a skill's folder has no SKILL.md",
  "markup-in-description": "a description would end the tag that it stands in",
  "framing-tag": "a skill's text holds a tag that frames skills",
  "evals-left-out": "evaluation cases are no part of a harness",
  "idle-example": "an example asks for nothing, so it could not fail",
  // Hooks
  "missing-module": "a hook's module does not exist",
  "unused-module": "no hook uses a module",
  "unbounded-pattern": "a pattern does not run in linear time",
  "invalid-condition": "a condition is not CEL over the event's fields",
  "invalid-check": "a check cannot be made ready",
  "needless-matcher": "an event has no tool that a matcher could fit",
  "impossible-action": "an event cannot do what the hook does",
  "idle-check": "a check finds nothing on its event",
  "missing-check": "a rewrite has no check that knows a better text",
  "always-blocks": "a rewrite has nothing to put in the place, so it blocks",
  "always-acts": "a hook acts whatever comes",
  "rewriter-conflict": "replacements undo or refuse each other",
  "invalid-code": "a hook's code does not load",
  "no-default-function": "a hook's code has no default export",
  "code-imports": "a hook's code imports another module",
  // Lines
  "forbidden-word": "the harness's own words break the advertising law",
  "number-in-line": "a line that nobody checks holds a number",
  "late-line": "a limit of time leaves another without effect",
} as const satisfies Record<string, string>;

export type ProblemCode = keyof typeof PROBLEM_CODES;
