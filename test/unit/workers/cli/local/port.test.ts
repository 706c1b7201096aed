import { once } from "node:events";
import { createServer } from "node:net";
import { describe, it } from "vitest";
import { LOOPBACK, parsePort, portError, requireFreePort } from "../../../../../workers/cli/local/port.ts";

describe("parsePort", () => {
  it.for([
    [undefined, 8787],
    ["", 8787],
    ["1", 1],
    ["65535", 65_535],
    [" 9000 ", 9_000],
  ] as const)("reads %j as %i", ([text, port], { expect }) => {
    expect(parsePort(text)).toBe(port);
  });

  it.for(["0", "65536", "-1", "80.5", "http", "0x50"])(
    "refuses %j and shows a port that would do",
    (text, { expect }) => {
      expect(() => parsePort(text)).toThrow(
        expect.objectContaining({ message: `PORT=${text} is no port.`, next: "PORT=8788 npm start", exitCode: 2 }),
      );
    },
  );
});

describe("requireFreePort", () => {
  it("refuses a port that another program listens on, and takes it when that has ended", async ({ expect }) => {
    const server = createServer().listen(0, LOOPBACK);
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(requireFreePort(port)).rejects.toThrow(`Port ${port} is busy.`);
    server.close();
    await once(server, "close");
    await expect(requireFreePort(port)).resolves.toBeUndefined();
  });
});

describe("portError", () => {
  it.for([
    [8787, "EADDRINUSE", "Port 8787 is busy.", "PORT=8788 npm start"],
    [65_535, "EADDRINUSE", "Port 65535 is busy.", "PORT=8788 npm start"],
    [80, "EACCES", "Port 80 is not allowed.", "PORT=8788 npm start"],
    [9_000, "EADDRNOTAVAIL", "Port 9000 could not be opened.", "PORT=9001 npm start"],
  ] as const)("for port %i and %s says %j", ([port, code, message, next], { expect }) => {
    expect(portError(port, code, null)).toMatchObject({ message, next });
  });
});
