/** `kaibo keys new`: a key that signs versions, and what the deployment needs to know of it. */
import type { KeysCommand } from "./keys-options.ts";
import { makeKey } from "./signing-key.ts";

/** @throws CliError - the file is there already, or cannot be written. */
export async function runKeys(
  { keyId, file, json }: KeysCommand,
  { out }: { readonly out: (text: string) => void },
): Promise<void> {
  const { publicKey } = await makeKey(keyId, file);
  const setting = `${keyId}=${publicKey}`;
  if (json) return out(`${JSON.stringify({ keyId, file, publicKey, setting })}\n`);
  out(`${file} holds the private key. It never leaves this machine, and only you may read it.

The deployment trusts it once its setting says so. From then on it serves signed versions alone:
  HARNESS_KEYS=${setting}
A deployment: in wrangler.toml under [vars], more than one parted by commas, then deploy.
This machine:  HARNESS_KEYS=${setting} npm start

Before that, release signed versions of what serves. A version keeps the signature of its first push, so one that was pushed
without needs a change first, however small:
  npx kaibo harness push <folder> --key ${file} --channel production
`);
}
