/** Bytes as Bilibili sends them, good and bad. */

export type PacketChanges = {
  readonly body?: string | Uint8Array;
  readonly version?: number;
  readonly operation?: number;
  readonly headerBytes?: number;
  readonly packetBytes?: number;
};

export function aPacket({ body = "", version = 0, operation = 5, headerBytes = 16, packetBytes }: PacketChanges) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const packet = new Uint8Array(16 + bytes.length);
  const header = new DataView(packet.buffer);
  header.setUint32(0, packetBytes ?? packet.length);
  header.setUint16(4, headerBytes);
  header.setUint16(6, version);
  header.setUint32(8, operation);
  packet.set(bytes, 16);
  return packet;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function aCommand(cmd: string, fields: object): string {
  return JSON.stringify({ cmd, data: fields });
}

/** A comment with every field that the platform documents. */
export function aDanmaku(fields: object = {}): string {
  return aCommand("LIVE_OPEN_PLATFORM_DM", {
    room_id: 1001,
    uid: 0,
    open_id: "39b8fedb60a54e29ac75b16955f7e632",
    union_id: "",
    uname: "小林",
    uface: "https://example.com/face.jpg",
    msg: "1号链接有黑色吗",
    msg_id: "5329143d-e5e9-4880-88a6-51831799cf56",
    timestamp: 1_766_496_334,
    fans_medal_level: 12,
    fans_medal_name: "好物",
    fans_medal_wearing_status: true,
    guard_level: 0,
    emoji_img_url: "",
    dm_type: 0,
    glory_level: 7,
    is_admin: 0,
    reply_open_id: "",
    reply_union_id: "",
    reply_uname: "",
    ...fields,
  });
}
