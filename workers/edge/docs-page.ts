/** A readable page of the API, made from its own description: no script, nothing from elsewhere. */
import { html } from "hono/html";

type Operation = {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
};
type Document = {
  readonly info: { readonly title: string; readonly description?: string | undefined };
  readonly paths?: Readonly<Record<string, unknown>> | undefined;
};

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Every path with its method, what it does, what it takes and what it answers; values are escaped by `html`. */
export function docsPage(document: Document) {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Readonly<Record<string, Operation | undefined>>)[method];
      return operation === undefined ? [] : [{ path, method: method.toUpperCase(), operation }];
    }),
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title}</title>
        <link rel="stylesheet" href="/docs.css" />
      </head>
      <body>
        <main>
          <h1>${document.info.title}</h1>
          <p>${document.info.description ?? ""}</p>
          <p><a href="/openapi.json">openapi.json</a> (OpenAPI 3.1)</p>
          ${operations.map(
            ({ path, method, operation }) =>
              html`<section>
                <h2><code>${method} ${path}</code></h2>
                <p><strong>${operation.summary ?? ""}</strong></p>
                <p>${operation.description ?? ""}</p>
                ${parameters(operation)}
                ${operation.requestBody === undefined ? "" : schemaOf("Body", operation.requestBody)}
                ${Object.entries(operation.responses ?? {}).map(([status, answer]) => answerOf(status, answer))}
              </section>`,
          )}
        </main>
      </body>
    </html>`;
}

function parameters(operation: Operation) {
  const names = (operation.parameters ?? []).map((parameter) => field(parameter, "name")).filter((name) => name !== "");
  return names.length === 0 ? "" : html`<p>Parameters: <code>${names.join(", ")}</code></p>`;
}

function answerOf(status: string, answer: unknown) {
  const text = field(answer, "description");
  return status.startsWith("2") ? schemaOf(`${status} ${text}`, answer) : html`<p><code>${status}</code> ${text}</p>`;
}

function schemaOf(title: string, holder: unknown) {
  const schema = jsonSchema(holder);
  if (schema === undefined) return html`<p>${title}</p>`;
  return html`<details>
    <summary>${title}</summary>
    <pre>${JSON.stringify(schema, null, 2)}</pre>
  </details>`;
}

function jsonSchema(holder: unknown): unknown {
  const content = property(holder, "content");
  return property(property(content, "application/json"), "schema");
}

function property(holder: unknown, name: string): unknown {
  return typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;
}

function field(holder: unknown, name: string): string {
  const value = property(holder, name);
  return typeof value === "string" ? value : "";
}
