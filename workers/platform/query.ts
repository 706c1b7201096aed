import { AppError } from "../../shared/errors/app-error.ts";

/**
 * Runs a statement.
 *
 * @throws AppError `registry_unavailable` - the database failed. Its own error is not kept: it names bound values.
 */
export async function query<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (thrown) {
    const kind = thrown instanceof Error ? thrown.name : "unknown";
    throw new AppError("registry_unavailable", "The registry's database did not answer", { cause: new Error(kind) });
  }
}
