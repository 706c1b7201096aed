import { describe, it } from "vitest";
import { isMetadataHost } from "../../../../workers/inference/metadata-host.ts";

describe("isMetadataHost", () => {
  it.for([
    "http://169.254.169.254/v1",
    "http://169.254.169.254./v1",
    "http://2852039166/v1",
    "http://0xA9FEA9FE:8000/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[fe80::1]/v1",
    "http://[fd00:ec2::254]/v1",
    "http://100.100.100.200/v1",
    "http://Metadata.Google.internal./v1",
  ])("is true of %s", (url, { expect }) => {
    expect(isMetadataHost(url)).toBe(true);
  });

  it.for([
    "http://127.0.0.1:8000/v1",
    "http://10.0.0.7:8000/v1",
    "http://[::1]:8000/v1",
    "http://169.254.example.com/v1",
    "http://fe80.example/v1",
    "https://gpu.example/v1",
  ])("is false of %s", (url, { expect }) => {
    expect(isMetadataHost(url)).toBe(false);
  });
});
