import { posix } from 'node:path';

const ABSOLUTE = /^(?:\/|~\/|[A-Za-z]:\/)/;

/** A path with slashes, without `.` and `..`, and without a slash at its end. */
export function plainPath(path: string): string {
  const slashed = /^[A-Za-z]:\\|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path;
  return posix.normalize(slashed).replace(/(?<=.)\/+$/, '');
}

export const isAbsolutePath = (path: string): boolean => ABSOLUTE.test(path);

export function nameOfFile(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path from a folder to a file below it; undefined for any other file. */
export function pathBelow(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}
