/** The port of a local instance. */
import { once } from "node:events";
import { createServer } from "node:net";
import { CliError, systemCode } from "../cli-error.ts";

/** Port of `npm start` when nobody chooses one: the one that `wrangler dev` takes too. */
const PORT_DEFAULT = 8787;
const PORT_MAX = 65_535;

/** Only this machine: the instance hands out tokens to whoever opens its page. */
export const LOOPBACK = "127.0.0.1";

/**
 * @param text - `PORT` as set, if it is.
 * @throws CliError - it is no port.
 */
export function parsePort(text: string | undefined): number {
  if (text === undefined || text.trim() === "") return PORT_DEFAULT;
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  if (port >= 1 && port <= PORT_MAX) return port;
  throw new CliError(`PORT=${text} is no port.`, {
    why: `A port is a whole number from 1 to ${PORT_MAX}.`,
    next: `PORT=${PORT_DEFAULT + 1} npm start`,
    exitCode: 2,
  });
}

/**
 * Finds out before any work is done whether the port can be had.
 *
 * @throws CliError - something else listens there, or this user may not.
 */
export async function requireFreePort(port: number): Promise<void> {
  const server = createServer();
  try {
    server.listen({ port, host: LOOPBACK, exclusive: true });
    await once(server, "listening");
  } catch (thrown) {
    throw portError(port, systemCode(thrown), thrown);
  }
  server.close();
  await once(server, "close");
}

/** The error for a port that could not be opened, by the system's code. */
export function portError(port: number, code: string, cause: unknown): CliError {
  const other = port >= PORT_MAX || port < 1_024 ? PORT_DEFAULT + 1 : port + 1;
  const next = `PORT=${other} npm start`;
  if (code === "EADDRINUSE") {
    return new CliError(`Port ${port} is busy.`, {
      why: `Another program listens on ${LOOPBACK}:${port}.`,
      next,
      cause,
    });
  }
  if (code === "EACCES") {
    return new CliError(`Port ${port} is not allowed.`, { why: "Ports below 1024 need more rights.", next, cause });
  }
  return new CliError(`Port ${port} could not be opened.`, {
    why: `The system says ${code || "no reason"}.`,
    next,
    cause,
  });
}
