/** Eleven digits or more, spaces and hyphens between them allowed: phone, identity, card and order numbers. */
const LONG_NUMBER = /(?<![0-9０-９A-Za-z])[0-9０-９](?:[ -]?[0-9０-９]){10,}[Xx]?(?![A-Za-z])/g;

/** Keeps three digits and the last four characters: enough to recognise a number, too little to use it. */
function mask(number) {
  const plain = number.normalize("NFKC").replace(/[ -]/g, "");
  return `${plain.slice(0, 3)}****${plain.slice(-4)}`;
}

export default function maskPersonalNumbers(input) {
  const message = input.tool_input.message;
  if (typeof message !== "string") return {};
  const masked = message.replace(LONG_NUMBER, mask);
  if (masked === message) return {};
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      updatedInput: { ...input.tool_input, message: masked },
    },
  };
}
