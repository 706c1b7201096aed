import { describe, it } from "vitest";
import { FrameFeed } from "../../../../shared/client/frame-feed.ts";
import { aHello, aMessage, aSentence } from "../../../helpers/frames.ts";

const aFeed = (after: number | null = 0) => new FrameFeed({ after, follow: "all" });

describe("FrameFeed", () => {
  it("tells each frame to those who want all and to those who want its type", ({ expect }) => {
    const feed = aFeed();
    const heard: string[] = [];
    feed.on("sentence", ({ sentence }) => heard.push(sentence.text));
    feed.on("frame", ({ type, seq }) => heard.push(`${seq} ${type}`));
    feed.on("unknown", ({ body }) => heard.push(String(body["type"])));
    feed.accept(aMessage());
    feed.accept(aSentence({ seq: 2 }));
    feed.accept({ type: "unknown", seq: 3, body: { type: "applause" } });
    expect(heard).toEqual(["1 message", "2 sentence", aSentence().sentence.text, "3 unknown", "applause"]);
  });

  it("takes a frame once, and none behind a hole", ({ expect }) => {
    const feed = aFeed(4);
    const verdicts = [4, 5, 5, 7, 6].map((seq) => feed.accept(aMessage({ seq })));
    expect(verdicts).toEqual(["duplicate", "applied", "duplicate", "gap", "applied"]);
    expect(feed.lastSeq()).toBe(6);
  });

  it("begins where the room stands when it was told no number", ({ expect }) => {
    const feed = aFeed(null);
    expect(feed.lastSeq()).toBeNull();
    feed.greet(aHello({ seq: 9, firstSeq: 3 }));
    expect([feed.lastSeq(), feed.accept(aMessage({ seq: 10 }))]).toEqual([9, "applied"]);
  });

  it("says which frames the room no longer keeps", ({ expect }) => {
    const feed = aFeed(2);
    const missed: unknown[] = [];
    feed.on("missed", (frames) => missed.push(frames));
    feed.greet(aHello({ seq: 20, firstSeq: 11 }));
    expect([missed, feed.lastSeq()]).toEqual([[{ fromSeq: 3, toSeq: 10 }], 10]);
  });

  it("tells nobody who has gone", ({ expect }) => {
    const feed = aFeed();
    const heard: number[] = [];
    const leave = feed.on("message", ({ seq }) => heard.push(seq));
    feed.accept(aMessage({ seq: 1 }));
    leave();
    feed.accept(aMessage({ seq: 2 }));
    expect(heard).toEqual([1]);
  });

  it("goes on after a listener that fails, and lets the platform report the failure", async ({
    expect,
    onTestFinished,
  }) => {
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    onTestFinished(() => {
      for (const listener of others) process.on("unhandledRejection", listener);
    });
    const reported = new Promise((resolve) => process.once("unhandledRejection", resolve));
    const feed = aFeed();
    const heard: number[] = [];
    feed.on("message", () => {
      throw new Error("a bug of the listener");
    });
    feed.on("message", ({ seq }) => heard.push(seq));
    feed.accept(aMessage());
    expect(heard).toEqual([1]);
    expect(await reported).toMatchObject({ message: "a bug of the listener" });
  });
});
