import { describe, it } from "vitest";
import { parseDeploy } from "../../../../../workers/cli/deploy/deploy-options.ts";

describe("parseDeploy", () => {
  it("reads a deployment and a removal", ({ expect }) => {
    expect(parseDeploy([])).toEqual({ name: "deploy", action: "deploy", isDryRun: false });
    expect(parseDeploy(["--secret-file", "/s/f", "--name", "kaibo-2", "--dry-run"])).toEqual({
      name: "deploy",
      action: "deploy",
      worker: "kaibo-2",
      secretFile: "/s/f",
      isDryRun: true,
    });
    expect(parseDeploy(["--remove"])).toEqual({ name: "deploy", action: "remove", isConfirmed: false });
    expect(parseDeploy(["--remove", "--yes"])).toMatchObject({ isConfirmed: true });
  });

  it.for([
    [["now"], "takes no words"],
    [["--name", "Kaibo_2"], "is no name"],
    [["--name", `k${"a".repeat(63)}`], "is no name"],
    [["--yes"], "belongs to --remove"],
    [["--remove", "--secret-file", "f"], "takes no --secret-file"],
    [["--force"], "not understood"],
  ] as const)("refuses %j", ([args, message], { expect }) => {
    expect(() => parseDeploy(args)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(message), exitCode: 2 }),
    );
  });

  it("takes the longest name that is a part of an address", ({ expect }) => {
    expect(parseDeploy(["--name", `k${"a".repeat(62)}`])).toMatchObject({ worker: `k${"a".repeat(62)}` });
  });
});
