/** Addresses at which clouds hand out credentials to whoever asks from inside. No inference server is ever there. */

/** The services of AWS (also over IPv6), Google and Alibaba; Azure, Tencent and others use the link-local one of AWS. */
const METADATA_HOSTS: ReadonlySet<string> = new Set([
  "metadata.google.internal",
  "metadata.goog",
  "metadata.tencentyun.com",
  "100.100.100.200",
  "[fd00:ec2::254]",
]);

/**
 * Whether an address leads to a cloud's metadata service, or to any other link-local host.
 *
 * By the host as `URL` writes it, so `http://2852039166` and `http://[::ffff:169.254.169.254]` are seen too. What a name
 * resolves to is not known in a Worker: a name of somebody's own for such an address passes.
 */
export function isMetadataHost(url: string): boolean {
  const host = new URL(url).hostname.replace(/\.$/, "");
  if (METADATA_HOSTS.has(host)) return true;
  const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host);
  const ip =
    mapped === null ? host : toIpv4(Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16));
  // 169.254.0.0/16 (RFC 3927) and fe80::/10 (RFC 4291).
  return METADATA_HOSTS.has(ip) || /^169\.254\.\d+\.\d+$/.test(ip) || /^\[fe[89ab]/.test(ip);
}

function toIpv4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
