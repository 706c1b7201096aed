/** A file's text without byte order mark and with line feeds only: the form that everything here reads. */
export function toSourceText(text: string): string {
  return text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n");
}
