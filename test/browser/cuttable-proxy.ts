/** A line between the browser and the product that a test can cut: what a lift or a tunnel does to a phone. */
import { connect, createServer, type Socket } from "node:net";

export type CuttableProxy = {
  /** Where the browser goes instead of to the product. */
  readonly url: string;
  /** Ends every connection without a word and lets no new one through. */
  readonly cut: () => void;
  readonly mend: () => void;
  readonly stop: () => Promise<void>;
};

/** Starts a proxy in front of `target`, on a free port. */
export async function startCuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A line that was cut ends in an error on both sides, which is what the test is about.
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((browser) => {
    if (isCut) return browser.destroy();
    const product = connect(Number(port), hostname);
    for (const [from, to] of [
      [browser, product],
      [product, browser],
    ] as const) {
      keep(from);
      from.pipe(to);
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  const dropAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => {
      isCut = true;
      dropAll();
    },
    mend: () => {
      isCut = false;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropAll();
      }),
  };
}
