import { describe, it } from "vitest";
import { platformPorts, type Platform } from "../../../../shared/client/platform-ports.ts";

/** A platform whose socket is an event target. */
function aPlatform() {
  const made: PlatformSocket[] = [];
  class PlatformSocket extends EventTarget {
    readonly url: string;
    readonly protocols: readonly string[];
    readonly sent: string[] = [];
    readyState = 0;
    constructor(url: string, protocols: readonly string[]) {
      super();
      this.url = url;
      this.protocols = protocols;
      made.push(this);
    }
    send(text: string): void {
      this.sent.push(text);
    }
    close(): void {
      this.readyState = 3;
    }
  }
  const cleared: unknown[] = [];
  const platform: Platform = {
    WebSocket: PlatformSocket,
    // As a browser's, it fails unless it is called on its platform.
    fetch: async function (this: unknown, url) {
      if (this !== platform) throw new TypeError("Illegal invocation");
      return new Response(url);
    },
    setTimeout: (_fire, delayMs) => `after ${delayMs}`,
    clearTimeout: (handle) => void cleared.push(handle),
    Math: { random: () => 0.25 },
  };
  return { ports: platformPorts(platform, { now: () => 12.5 }), made, cleared };
}

describe("platformPorts", () => {
  it("hears texts and the end of a socket, and sends only while it is open", ({ expect }) => {
    const { ports, made } = aPlatform();
    const heard: string[] = [];
    const events = { onText: (text: string) => heard.push(text), onClose: () => heard.push("closed") };
    const socket = ports.openSocket("ws://kaibo.test", ["kaibo.v1"], events);
    socket.send("too early");
    const [made0] = made;
    if (made0 === undefined) throw new Error("no socket was made");
    made0.readyState = 1;
    socket.send("ping");
    for (const data of ["pong", new ArrayBuffer(1)]) made0.dispatchEvent(new MessageEvent("message", { data }));
    made0.dispatchEvent(new Event("close"));
    socket.close();
    expect(made0).toMatchObject({ url: "ws://kaibo.test", protocols: ["kaibo.v1"], sent: ["ping"], readyState: 3 });
    expect(heard).toEqual(["pong", "closed"]);
  });

  it("calls the platform's functions on the platform", async ({ expect }) => {
    const { ports, cleared } = aPlatform();
    const init = { method: "GET", headers: {}, signal: new AbortController().signal };
    expect(await (await ports.request("http://kaibo.test", init)).text()).toBe("http://kaibo.test");
    ports.timer.after(30, () => {})();
    expect(cleared).toEqual(["after 30"]);
    expect([ports.elapsedMs(), ports.random()]).toEqual([12.5, 0.25]);
  });

  it("takes this platform as it is", async ({ expect }) => {
    const { timer, random } = platformPorts(globalThis, performance);
    await new Promise<void>((resolve) => timer.after(0, resolve));
    expect(random()).toBeLessThan(1);
  });
});
