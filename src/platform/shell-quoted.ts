/** A path as a shell takes it, whatever is in it. */
export function shellQuoted(path: string): string {
  return /^[\w./~+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
