import { describe, it } from "vitest";
import { endTurn, interruptTurn, openTurn, phaseOf, sayIn, startTurn } from "../../../../workers/console/turn-item.ts";
import { anInterrupt, aSentence, aTurnEnd, aTurnStart } from "../../../helpers/frames.ts";

const waited = { acceptedAtMs: 1_000, question: "多少钱", askedBy: "小鱼", viewerId: "v1", messageCount: 3, askers: 2 };
const priority = { points: 48, parts: [{ name: "deal", points: 15 }], waiting: 8 };

/** A turn that has said three sentences of one second each. */
function aSpeakingTurn() {
  const started = startTurn(openTurn("t1", 2, waited), aTurnStart({ priority }));
  return [0, 1, 2].reduce(
    (turn, seq) => sayIn(turn, aSentence({ speakingMs: 1_000, sentence: { ...aSentence().sentence, seq } })),
    started,
  );
}

describe("startTurn", () => {
  it("keeps why the turn was next when a second attempt says nothing of it", ({ expect }) => {
    const again = startTurn(aSpeakingTurn(), aTurnStart({ attempt: 2 }));
    expect(again).toMatchObject({ attempt: 2, priority, messageCount: 3, askers: 2, question: "多少钱" });
  });
});

describe("openTurn", () => {
  it("knows of messages that are older than the history what its start tells", ({ expect }) => {
    const turn = startTurn(openTurn("t1", 2, undefined), aTurnStart({ messageIds: ["m1", "m2"] }));
    expect(turn).toMatchObject({ question: null, messageCount: 2, askers: 2, acceptedAtMs: 1_000 });
  });
});

describe("interruptTurn", () => {
  it("lets a turn wait again with what was heard of it, as the room gives the other numbers anew", ({ expect }) => {
    const heard = { sentences: 1, lastMs: 400 };
    const turn = interruptTurn(aSpeakingTurn(), anInterrupt({ cause: "host-speech", resumes: true, heard }));
    expect(phaseOf(turn)).toBe("waiting");
    expect(turn.sentences.map(({ seq }) => seq)).toEqual([0]);
    expect(turn.interruptions).toEqual([{ atMs: 1_600, cause: "host-speech", act: "stop", resumes: true, heard }]);
    expect(phaseOf(startTurn(turn, aTurnStart({ attempt: 2 })))).toBe("speaking");
  });

  it("keeps all that was said where there is no voice", ({ expect }) => {
    const turn = interruptTurn(aSpeakingTurn(), anInterrupt({ resumes: true }));
    expect(turn.sentences).toHaveLength(3);
    expect(turn.interruptions).toMatchObject([{ heard: null }]);
  });

  it("keeps a bounded number of interruptions", ({ expect }) => {
    let turn = aSpeakingTurn();
    for (let count = 0; count < 20; count += 1) turn = interruptTurn(turn, anInterrupt({ atMs: count }));
    expect(turn.interruptions.map(({ atMs }) => atMs)).toEqual([16, 17, 18, 19]);
  });
});

describe("phaseOf", () => {
  it("is the outcome once a turn has ended, even one that waited again", ({ expect }) => {
    const waiting = interruptTurn(aSpeakingTurn(), anInterrupt({ resumes: true }));
    expect(phaseOf(endTurn(waiting, aTurnEnd({ outcome: "expired", reason: "ttl" })))).toBe("expired");
    expect(phaseOf(endTurn(aSpeakingTurn(), aTurnEnd({ outcome: "interrupted" })))).toBe("interrupted");
  });
});
