/** Whether a host, as it is in an address or a URL, is this machine. A name outside of `localhost` is not resolved. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|::1|\[::1\]|127(?:\.\d{1,3}){3})$/i.test(host);
}
