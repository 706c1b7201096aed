/** Tokens as the model's own server counts them: vLLM and SGLang answer `POST /tokenize` beside `/v1`. */
import { z } from "zod";
import type { TokenCost, TokenText } from "../../../harness-kv/token-costs.ts";
import { CliError } from "../cli-error.ts";

/** Longest wait for one text's count, ms. */
const COUNT_MS_MAX = 10_000;

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });
const countSchema = z.object({ count: z.int().min(0) });

/**
 * Counts each text with the tokenizer of the server's first model.
 *
 * @param server - Base URL of the server, with or without `/v1`.
 * @throws CliError - it does not answer, or not as these servers do.
 */
export async function countTokens(
  server: string,
  texts: readonly TokenText[],
): Promise<{ readonly model: string; readonly costs: TokenCost[] }> {
  const root = server.replace(/\/+$/, "").replace(/\/v1$/, "");
  const { data } = await ask(`${root}/v1/models`, modelsSchema);
  const model = data[0]?.id ?? "";
  const costs: TokenCost[] = [];
  for (const { part, name, text } of texts) {
    const prompt = { model, prompt: text, add_special_tokens: false };
    const { count } = await ask(`${root}/tokenize`, countSchema, prompt);
    costs.push({ part, name, tokens: count });
  }
  return { model, costs };
}

async function ask<Answer>(address: string, schema: z.ZodType<Answer>, body?: unknown): Promise<Answer> {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const signal = AbortSignal.timeout(COUNT_MS_MAX);
    const answer = await fetch(address, { ...(body !== undefined && post), signal });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return schema.parse(await answer.json());
  } catch (thrown) {
    throw new CliError(`${address} does not count tokens.`, {
      why: thrown instanceof z.ZodError ? "Its answer is another than vLLM's and SGLang's." : String(thrown),
      next: "Name a server that has /tokenize, or leave --tokenizer out: then tokens are estimated.",
      cause: thrown,
    });
  }
}
