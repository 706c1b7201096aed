/** The figures of a replayed hour as tables, and what they say about the targets. */
import type { HourFigures, Spread, StaleFigures } from "../../replay/hour-figures.ts";
import { rounded } from "../statistics.ts";

export function printHour(figures: HourFigures): void {
  const { askersPerAnswer, firstSentence, stale, voice } = figures;
  console.log("Messages by kind, what became of them at the door, and with their turns:");
  console.table({ ...figures.messages });
  console.table({ ...figures.dispositions });
  console.table({ turns: figures.outcomes, messages: figures.askersByOutcome });
  console.table({ ...figures.reasons });
  console.log("Wait for the floor, ms, by points without those of waiting, and by intent:");
  console.table({ ...figures.waitsByPoints });
  console.table({ ...figures.waitsByIntent });
  console.log("First sentence, ms; gaps between what the voice speaks, ms; askers of an answer:");
  console.table({
    "from the question": roundedOf(firstSentence.accepted),
    "from the floor": roundedOf(firstSentence.floor),
    "heard, from the floor": roundedOf(firstSentence.sound),
    "gap of the voice": roundedOf(voice.gaps),
    [`askers (mean ${rounded(askersPerAnswer.mean)})`]: roundedOf(askersPerAnswer),
  });
  console.log("Sentences of answers, and how many of them were untrue at that moment:");
  console.table({ "when said": stale.said, "when its sound began": stale.voiced });
  console.log("Interruptions: frames, turns, turns that waited again, and of those answered in the end:");
  console.table({ ...figures.interrupts });
  console.table({
    "fillers used": figures.fillers.used,
    "fillers in a row": figures.fillers.inARow,
    "voice speaks, share of the time": rounded(voice.busyShare),
    "messages that expired before their own time": figures.expiredEarly,
    "turns counted as answered, without an answer": figures.answeredWithoutAnswer,
    "turns that say 这款, asked while another was on screen": `${figures.pointing.askedOfAnother} of ${figures.pointing.turns}`,
    "interruptions that knew what was heard": `${figures.heard.right} of ${figures.heard.told}`,
    "alarms with nothing to do": figures.idleAlarms,
    "thrown inside turns": figures.bugs,
  });
}

/** One line for each target. */
export function toVerdicts({ stale, fillers, bugs }: HourFigures): string[] {
  const voiced = `${mark(isTrue(stale.voiced))} stale when its sound began: ${told(stale.voiced)}; target 0 for price and stock`;
  return [
    `${mark(isTrue(stale.said))} stale when said: ${told(stale.said)}; target 0 for price and stock`,
    ...(stale.voiced.sentences > 0 ? [voiced] : []),
    `${mark(fillers.inARow === 0)} ${fillers.inARow} of ${fillers.used} fillers came right after another; target 0`,
    `${mark(bugs === 0)} ${bugs} turns had a bug`,
  ];
}

function isTrue({ price, stock }: StaleFigures): boolean {
  return price + stock === 0;
}

function told({ sentences, price, stock, onScreen }: StaleFigures): string {
  return `price ${price}, stock ${stock}, product on screen ${onScreen} of ${sentences} sentences`;
}

function roundedOf({ count, p50, p95, max }: Spread): Spread {
  return { count, p50: rounded(p50), p95: rounded(p95), max: rounded(max) };
}

function mark(isMet: boolean): string {
  return isMet ? "met  " : "SHORT";
}
