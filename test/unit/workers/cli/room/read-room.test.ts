import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "vitest";
import { readRoom } from "../../../../../workers/cli/room/read-room.ts";
import { tempFolder } from "../../../../helpers/temp-folder.ts";
import { aRoomConfig } from "../../../../helpers/rooms.ts";

describe("readRoom", () => {
  it("finds a sample room by its name", async ({ expect }) => {
    expect((await readRoom("yanxuan-home", "/")).merchant.id).toBe("yanxuan-demo");
  });

  it("reads a file, and the room.json of a folder, from where they were named", async ({ expect }) => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, "room.json"), JSON.stringify(aRoomConfig()));
    expect(await readRoom("./room.json", folder)).toEqual(aRoomConfig());
    expect(await readRoom(folder, "/")).toEqual(aRoomConfig());
  });

  it.for([
    [null, "ENOENT"],
    ["{", "is not JSON"],
    ["[]", "room.json: "],
    [JSON.stringify({ ...aRoomConfig(), title: "" }), "title: "],
  ] as const)("says what is wrong with %j", async ([text, why], { expect }) => {
    const folder = await tempFolder();
    if (text !== null) await writeFile(path.join(folder, "room.json"), text);
    await expect(readRoom("room.json", folder)).rejects.toMatchObject({
      message: "The room room.json does not read.",
      why: expect.stringContaining(why),
      next: expect.stringContaining("yanxuan-home"),
    });
  });
});
