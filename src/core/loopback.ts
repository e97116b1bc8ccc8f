/** Whether a host, as it is in an address or a URL, is this machine. A name other than `localhost` is not resolved. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}
