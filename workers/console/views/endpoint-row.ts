/** One inference endpoint: how it stands, how full it is, and what needs a person. */
import { make, makeSvg, setText } from "../dom.ts";
import { type EndpointCard, type EndpointNow, type Tally, totalOf } from "../endpoint-card.ts";
import { formatClock, formatMs, formatShare } from "../format.ts";
import { createKeyedList } from "../keyed-list.ts";
import { type Strings, wordFor } from "../strings.ts";

const GAUGE_HEIGHT = 10;

export function createEndpointRow(getStrings: () => Strings | null) {
  const element = make("li", "endpoint");
  const head = make("div", "endpoint-head");
  const name = make("h3", "endpoint-name");
  const state = make("span", "badge");
  head.append(name, state);
  const facts = make("p", "hint");
  const alarms = createAlarms();
  const load = make("p", "endpoint-load");
  const gauge = createGauge();
  const figures = createCells();
  const refused = make("p", "endpoint-tally");
  const failed = make("p", "endpoint-tally");
  const since = make("p", "hint");
  element.append(head, facts, alarms.element, load, gauge.element, figures.element, refused, failed, since);

  return {
    element,
    update: (card: EndpointCard): void => {
      const strings = getStrings();
      if (strings === null) return;
      const { now } = card;
      setText(name, card.name);
      state.dataset["state"] = card.state;
      setText(state, strings.endpointStates[card.state]);
      state.title = strings.endpointStateHints[card.state];
      setText(facts, [strings.tiers[card.tier], card.kind, card.model].join(" · "));
      alarms.update(now?.alarms ?? [], strings);
      setText(load, describeLoad(now, strings));
      gauge.update(now);
      figures.update(now, strings);
      showTally(refused, strings.endpointRefused, toNamed(now?.refusals ?? [], strings));
      showTally(failed, strings.endpointFailed, now?.failures ?? []);
      setText(
        since,
        now === null ? strings.endpointStateHints.unknown : strings.endpointSince(formatClock(now.sinceMs)),
      );
    },
  };
}

function describeLoad(now: EndpointNow | null, { endpointLoad }: Strings): string {
  const gate = now?.gate ?? null;
  return endpointLoad(
    now === null ? "–" : `${now.inFlight}`,
    gate === null ? "–" : `${Math.round(gate.limit * 10) / 10}`,
    gate === null ? "–" : `${gate.slots}`,
  );
}

function toNamed(refusals: readonly Tally[], strings: Strings): Tally[] {
  return refusals.map(({ name, count }) => ({ name: wordFor(strings.refusalReasons, name), count }));
}

function showTally(element: HTMLElement, toText: Strings["endpointFailed"], tallies: readonly Tally[]): void {
  const count = totalOf(tallies);
  setText(element, toText(count, tallies.map((tally) => `${tally.name} ${tally.count}`).join(" · ")));
  element.classList.toggle("is-none", count === 0);
}

/** Alarms are told when they begin, to those who listen as well. */
function createAlarms() {
  const element = make("div");
  element.setAttribute("role", "status");
  const parent = make("ul", "endpoint-alarms");
  element.append(parent);
  const list = createKeyedList<{ readonly code: string; readonly text: string }>({
    parent,
    key: ({ code }) => code,
    inputs: ({ text }) => [text],
    create: () => {
      const alarm = make("li", "endpoint-alarm");
      return { element: alarm, update: ({ text }) => setText(alarm, text) };
    },
  });
  return {
    element,
    update: (alarms: EndpointNow["alarms"], strings: Strings): void =>
      list.update(
        alarms.map(({ code, sinceMs }) => ({
          code,
          text: strings.alarmSince(strings.alarms[code], formatClock(sinceMs)),
        })),
      ),
  };
}

/** A bar of all slots: those that turns may use, and over them those in use. Its words stand above it. */
function createGauge() {
  const element = makeSvg("svg", { class: "gauge", height: `${GAUGE_HEIGHT}`, "aria-hidden": "true" });
  const makeBar = (name: string) => makeSvg("rect", { class: name, width: "0%", height: `${GAUGE_HEIGHT}` });
  const [limit, used] = [makeBar("gauge-limit"), makeBar("gauge-used")] as const;
  element.append(limit, used);
  const percent = (part: number, whole: number): string =>
    `${(Math.min(1, Math.max(0, part / Math.max(1, whole))) * 100).toFixed(2)}%`;
  return {
    element,
    update: (now: EndpointNow | null): void => {
      const gate = now?.gate ?? { limit: 0, slots: 0 };
      limit.setAttribute("width", percent(gate.limit, gate.slots));
      used.setAttribute("width", percent(now?.inFlight ?? 0, gate.slots));
    },
  };
}

/** Figures that stand side by side, in this order. */
const CELL_COUNT = 8;

function createCells() {
  const element = make("dl", "endpoint-figures");
  const cells = Array.from({ length: CELL_COUNT }, () => {
    const cell = make("div", "endpoint-figure");
    const label = make("dt");
    const value = make("dd");
    cell.append(label, value);
    element.append(cell);
    return { cell, label, value };
  });
  return {
    element,
    update: (now: EndpointNow | null, strings: Strings): void => {
      const labels = toLabels(strings);
      const values = now === null ? [] : toValues(now);
      for (const [index, { cell, label, value }] of cells.entries()) {
        const [text = "", title = ""] = labels[index] ?? [];
        setText(label, text);
        cell.title = title;
        setText(value, values[index] ?? "–");
      }
    },
  };
}

/** Each with what it means where that is not plain. */
function toLabels(strings: Strings): (readonly [text: string, title?: string])[] {
  return [
    [strings.endpointWaiting],
    [strings.endpointExpectedWait],
    [strings.endpointFirstTokenP50],
    [strings.endpointFirstTokenP95],
    [strings.endpointCached, strings.endpointCachedTitle],
    [strings.endpointAcceptance, strings.endpointAcceptanceTitle],
    [strings.endpointTurns],
    [strings.endpointCalls],
  ];
}

function toValues(now: EndpointNow): string[] {
  return [
    `${now.waiting}`,
    formatMs(now.gate?.expectedWaitMs ?? null),
    formatMs(now.firstTokenP50Ms),
    formatMs(now.firstTokenP95Ms),
    formatShare(now.cachedShare),
    now.acceptanceLength?.toFixed(2) ?? "–",
    `${now.turns}`,
    `${now.calls}`,
  ];
}
