/** `kaibo endpoint`: which servers answer turns, how they do, and changes to that. */
import { endpointConfigSchema, type EndpointConfig } from "../../../shared/contract/endpoint.ts";
import { CliError } from "../cli-error.ts";
import { createEdgeApi, expectOk, type ApiTarget, type EdgeApi } from "../edge-api.ts";
import {
  endpointCheckedSchema,
  endpointListSchema,
  endpointViewSchema,
  endpointSavedSchema,
  type EndpointView,
} from "../../../shared/contract/http-api.ts";
import type { EndpointChange, EndpointCommand } from "./endpoint-options.ts";
import { formatCheck, formatEndpoint, formatEndpoints, formatSaved } from "./endpoint-output.ts";

export type EndpointPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  readonly fetch?: typeof fetch;
};

/**
 * Runs the command and prints its outcome: for people, or as one line of JSON.
 *
 * @throws CliError - the instance refused, or a check found problems; those have been printed.
 */
export async function runEndpoint(command: EndpointCommand, target: ApiTarget, ports: EndpointPorts): Promise<void> {
  const api = createEdgeApi(target, ports.fetch);
  const print = <Answer>(answer: Answer, format: (answer: Answer) => string) =>
    ports.out(command.json ? `${JSON.stringify(answer)}\n` : format(answer));
  switch (command.action) {
    case "list": {
      const list = await api.call("GET", "/v1/endpoints", { answer: endpointListSchema });
      return print(expectOk(list, "The endpoints could not be listed."), ({ endpoints }) => formatEndpoints(endpoints));
    }
    case "show": {
      const loaded = await api.call("GET", routeOf(command.endpoint), { answer: endpointViewSchema });
      return print(expectOk(loaded, `Endpoint ${command.endpoint} could not be read.`), formatEndpoint);
    }
    case "set": {
      const stored = await findStored(api, command.endpoint);
      const body = changedConfig(stored, command.endpoint, command.change);
      // Two operators at once: the second is told to look again, instead of undoing what the first did.
      const ifMatch = stored === null || stored.revision === null ? {} : { ifMatch: stored.revision };
      const saved = await api.call("PUT", routeOf(command.endpoint), { body, ...ifMatch, answer: endpointSavedSchema });
      return print(expectOk(saved, `Endpoint ${command.endpoint} was not saved.`), formatSaved);
    }
    case "check": {
      const route = `${routeOf(command.endpoint)}/check`;
      const checked = await api.call("POST", route, { answer: endpointCheckedSchema });
      const check = expectOk(checked, `Endpoint ${command.endpoint} was not checked.`);
      print(check, formatCheck);
      return refuseProblems(command.endpoint, check.problems.length);
    }
    case "remove": {
      const removed = await api.send("DELETE", routeOf(command.endpoint));
      await expectOk(removed, `Endpoint ${command.endpoint} was not removed.`).body?.cancel();
      return print({ removed: command.endpoint }, () => `${command.endpoint} was removed\n`);
    }
  }
}

/** The stored configuration with the change in it; a new one has the defaults for what was not given. */
function changedConfig(stored: EndpointView | null, name: string, change: EndpointChange): EndpointConfig {
  if (stored === null && (change.baseUrl === undefined || change.model === undefined)) {
    throw new CliError(`There is no endpoint ${name} yet.`, {
      why: "A new one needs its address and its model.",
      next: `npx kaibo endpoint set ${name} --url http://gpu.example:8000/v1 --model <model>`,
      exitCode: 2,
    });
  }
  const fields = Object.entries({ ...stored?.config, ...change }).filter(([, value]) => value !== null);
  const parsed = endpointConfigSchema.safeParse(Object.fromEntries(fields));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new CliError("The configuration cannot be.", {
    why: `${issues.join("; ")}.`,
    next: "npx kaibo help",
    exitCode: 2,
  });
}

async function findStored(api: EdgeApi, name: string): Promise<EndpointView | null> {
  const loaded = await api.call("GET", routeOf(name), { answer: endpointViewSchema });
  if (!loaded.ok && loaded.error.code === "endpoint_not_found") return null;
  return expectOk(loaded, `Endpoint ${name} could not be read.`);
}

/** @throws CliError - there are some: scripts go by the exit code. */
function refuseProblems(name: string, count: number): void {
  if (count === 0) return;
  throw new CliError(`Turns cannot rely on ${name}.`, {
    why: `It has ${count} problem(s).`,
    next: `Mend them, then: npx kaibo endpoint check ${name}`,
  });
}

function routeOf(name: string): string {
  return `/v1/endpoints/${encodeURIComponent(name)}`;
}
