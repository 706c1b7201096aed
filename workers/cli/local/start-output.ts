/** What `kaibo start` prints. */

export type ProgressPorts = {
  /** Takes text for standard output, at once. */
  readonly out: (text: string) => void;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
};

/** Prints each stage when it begins, and its outcome and time when it ends. */
export function createStages({ out, nowMs }: ProgressPorts, total: number) {
  let number = 0;
  return (title: string) => {
    const startedMs = nowMs();
    number += 1;
    out(`  ${number}/${total} ${title} … `);
    return (outcome: string) => out(`${outcome}, ${Math.round(nowMs() - startedMs)} ms\n`);
  };
}

type Ready = {
  readonly url: string;
  readonly tokens: { readonly page: string };
  /** `null`: the offline policy. */
  readonly policy: { readonly host: string; readonly model: string } | null;
};

type ReadyPlace = {
  readonly room: string;
  readonly harness: { readonly name: string; readonly version: string };
  readonly stateFolder: string;
  readonly tokensFile: string;
};

/** What programs need once it runs. Tokens are not among it: output is kept, and `tokensFile` is for its owner alone. */
export function toReadyFacts({ url, policy }: Ready, { room, harness, stateFolder, tokensFile }: ReadyPlace) {
  return { url, docs: `${url}/docs`, room, harness, policy, stateFolder, tokensFile };
}

/** What people need once it runs. */
export function formatReady({ url, tokens, policy }: Ready, room: string): string {
  const answers =
    policy === null
      ? "the offline policy, without a model (a model: INFERENCE_BASE_URL=… INFERENCE_MODEL=… npm start)"
      : `${policy.model} at ${policy.host}`;
  return `
Page 直播间   ${formatPageUrl(url, tokens.page, room)}
API 文档      ${url}/docs
Answers 应答  ${answers}

Try 试一试
  npx kaibo ask "1号链接多少钱"
  curl -N ${url}/v1/rooms/${room}/messages \\
    -H "Authorization: Bearer $(npx kaibo token --aud room)" -H "Accept: text/event-stream" \\
    -H "Content-Type: application/json" -d '{"id":"'$(date +%s)'","text":"有什么优惠"}'
  Open the page above, post a comment and follow the turn 打开上面的页面，发一条弹幕

Ctrl-C ends everything 按 Ctrl-C 停止
`;
}

/** The page's address with its token, which the page takes out of the address bar. */
export function formatPageUrl(url: string, token: string, room?: string): string {
  return `${url}/#token=${token}${room === undefined ? "" : `&room=${room}`}`;
}

/** Said when the harness's folder holds an edit: a restart does not release it. */
export function formatUnpushed(harness: string): string {
  const folder = `harness-kv/bundles/${harness}`;
  return `      ${folder} holds something else; to release it: npx kaibo harness push ${folder} --channel production\n`;
}
