/** Comments of a Bilibili live room become messages of a room: the real command, a real socket, the built product. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, it } from "vitest";
import { postMessagesAnswerSchema } from "../../shared/contract/http-api.ts";
import { SAMPLE_ROOM } from "../../workers/cli/ask.ts";
import { startFakeBilibili, type FakeBilibili, type PlatformSide } from "../helpers/fake-bilibili.ts";
import { startProduct, type RunningProduct } from "../helpers/product.ts";
import { aCommand, aDanmaku, aPacket, joined } from "../unit/shared/chat/bilibili/packed.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const AUTH_BODY = '{"roomid":1001,"protover":2,"uid":1,"key":"k","group":"open"}';
const ACCEPTED = aPacket({ operation: 8, version: 1, body: '{"code":0}' });

let product: RunningProduct;
let platform: FakeBilibili;
let folder: string;
let authFile: string;

beforeAll(async () => {
  product = await startProduct();
  platform = await startFakeBilibili();
  folder = await mkdtemp(path.join(tmpdir(), "kaibo-chat-"));
  authFile = path.join(folder, "start.json");
  const websocket_info = { auth_body: AUTH_BODY, wss_link: [platform.url] };
  await writeFile(authFile, JSON.stringify({ code: 0, data: { websocket_info, game_info: { game_id: "game-1" } } }));
});

afterAll(async () => {
  platform.stop();
  await product.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("kaibo chat", () => {
  it("posts comments to the room, each once, over a connection that is cut", async ({ expect }) => {
    const command = runChat();
    const first = await accept(expect);
    const words = ["1号链接多少钱", "有什么优惠", "1号链接多少钱啊"];
    const comments = words.map((msg, index) =>
      aPacket({ body: aDanmaku({ msg, msg_id: `c${index}`, open_id: `v${index}` }) }),
    );
    const packed = aPacket({ version: 2, body: deflateSync(joined(comments)) });
    first.send(packed.slice(0, 30));
    first.send(packed.slice(30));
    first.send(aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_SEND_GIFT", { gift_name: "小心心" }) }));
    first.send(aPacket({ body: aDanmaku({ dm_type: 1, msg: "[打call]", msg_id: "c9" }) }));
    await command.says(/received 5 · posted 3 \([^)]*\) · dropped 2 \((gift 1, picture 1|picture 1, gift 1)\)/);

    first.cut();
    await command.says(/connection lost: .*; again in 1 s/);
    const second = await accept(expect);
    // The platform says the last comment again, and a new one.
    second.send(comments[2] ?? new Uint8Array(0));
    second.send(aPacket({ body: aDanmaku({ msg: "2号链接有现货吗", msg_id: "c3", open_id: "v3" }) }));
    await command.says(/posted 5 \([^)]*duplicate 1/);

    expect(await postAgain("bilibili:c3")).toBe("duplicate");
    expect(await postAgain("bilibili:c4")).not.toBe("duplicate");
    expect(await command.stop()).toBe(0);
  });

  it("ends when the platform ends the session, and says what to do", async ({ expect }) => {
    const command = runChat();
    const side = await accept(expect);
    side.send(aPacket({ body: aCommand("LIVE_OPEN_PLATFORM_INTERACTION_END", { game_id: "game-1", timestamp: 1 }) }));
    await command.says(/Bilibili ended the session\.[^]*Next: Call \/v2\/app\/start again/);
    expect(await command.ended).toBe(1);
  });
});

/** Takes the proof and accepts; the client's first heartbeat has come then. */
async function accept(expect: (value: unknown) => { toBe: (wanted: unknown) => void }): Promise<PlatformSide> {
  const side = await platform.connection();
  const proof = await side.received();
  expect(new TextDecoder().decode(proof.subarray(16))).toBe(AUTH_BODY);
  side.send(ACCEPTED);
  const heartbeat = await side.received();
  expect(heartbeat.length === 16 && heartbeat[11] === 2).toBe(true);
  return side;
}

/** How the room takes a message with this id now. */
async function postAgain(id: string): Promise<string | undefined> {
  const response = await fetch(`${product.url}/v1/rooms/${SAMPLE_ROOM}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${product.tokens.room}`, "content-type": "application/json" },
    body: JSON.stringify({ id, text: "2号链接有现货吗" }),
  });
  return postMessagesAnswerSchema.parse(await response.json()).results[0]?.disposition;
}

function runChat() {
  const args = ["chat", "bilibili", "--room", SAMPLE_ROOM, "--auth", authFile];
  const target = ["--url", product.url, "--token", product.tokens.room];
  const child = spawn(process.execPath, [path.join(ROOT, "workers/cli/kaibo.mjs"), ...args, ...target], { cwd: ROOT });
  let printed = "";
  const looks = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      for (const look of looks) look();
    });
  }
  const ended = once(child, "close").then(([code]: unknown[]) => code);
  /** Settles when this has been printed; fails when the command ends without. */
  const says = (words: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!words.test(printed)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without ${words}:\n${printed}`)));
    });
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { says, stop, ended };
}
