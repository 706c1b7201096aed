/**
 * Addresses: parts that stand side by side (省, 市, 区, 路, 小区, 栋, 室) and lead to a door. Regions alone are a place, which
 * viewers name to ask about shipping: 山东省泰安市 stays.
 */
import { matchLengthAt } from "./find-named.ts";
import type { PlainText, Span } from "./plain-text.ts";
import type { RedactionKind } from "./redaction-kind.ts";
import { REDACTION_PATTERNS } from "./redaction-patterns.ts";

type PartKind = "region" | "road" | "village" | "community" | "door" | "number" | "bare";

type Part = Span & { readonly kind: PartKind };

/** Units that only a building has. 号 and 楼 also count links and storeys of a mall. */
const DOOR_UNITS: ReadonlySet<string> = new Set(["号楼", "号院", "栋", "幢", "单元", "室", "弄"]);

const NAMES = ["community", "road", "village", "region"] as const;

export function findAddresses({ text }: PlainText): (Span & { readonly kind: RedactionKind })[] {
  const parts = [...text.matchAll(REDACTION_PATTERNS.addressPart)].map(toPart);
  const chinese = chainsOf(text, parts)
    .filter(isAddress)
    .map((chain) => ({
      kind: "address" as const,
      start: chain[0]?.start ?? 0,
      end: endOf(text, chain),
    }));
  const english = [...text.matchAll(REDACTION_PATTERNS.streetAddress)].map((match) => ({
    kind: "address" as const,
    start: match.index,
    end: match.index + match[0].length,
  }));
  return [...chinese, ...english];
}

function toPart(match: RegExpExecArray): Part {
  const groups = match.groups ?? {};
  const unit = groups["unit"];
  const number = unit !== undefined && DOOR_UNITS.has(unit) ? "door" : "number";
  const name = NAMES.find((kind) => groups[kind] !== undefined);
  const kind = groups["bare"] === undefined ? (name ?? number) : "bare";
  return { kind, start: match.index, end: match.index + match[0].length };
}

/** Parts with nothing but a sign, a blank or a direction (南海大道北20号) between them. */
function chainsOf(text: string, parts: readonly Part[]): Part[][] {
  const chains: Part[][] = [];
  for (const part of parts) {
    const chain = chains.at(-1);
    const last = chain?.at(-1);
    if (
      chain !== undefined &&
      last !== undefined &&
      /^[ ,、.-]{0,2}[东西南北中]?$/u.test(text.slice(last.end, part.start))
    )
      chain.push(part);
    else chains.push([part]);
  }
  return chains;
}

function isAddress(chain: readonly Part[]): boolean {
  const count = (...kinds: readonly PartKind[]) => chain.filter(({ kind }) => kinds.includes(kind)).length;
  const [regions, streets, communities, doors] = [
    count("region"),
    count("road", "village"),
    count("community"),
    count("door"),
  ];
  if (streets > 0 && isFollowedByNumber(chain)) return true;
  if (communities > 0 && (doors > 0 || count("bare") > 0)) return true;
  if (doors >= 2 || (regions >= 2 && doors + count("number") > 0)) return true;
  return regions >= 2 && (count("road") + communities > 0 || (regions >= 3 && streets > 0));
}

function isFollowedByNumber(chain: readonly Part[]): boolean {
  const street = chain.findIndex(({ kind }) => kind === "road" || kind === "village");
  return chain.slice(street + 1).some(({ kind }) => kind === "door" || kind === "number");
}

function endOf(text: string, chain: readonly Part[]): number {
  const last = chain.at(-1);
  if (last === undefined) return 0;
  return last.kind === "door" || last.kind === "number"
    ? last.end + matchLengthAt(REDACTION_PATTERNS.flat, text, last.end)
    : last.end;
}
