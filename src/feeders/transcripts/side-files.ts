import { readFileSync, statSync } from 'node:fs';

/** A side file holds a title or a folder; what is larger is something else. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The text of a file beside a transcript; undefined when it is missing, unreadable or implausibly large. */
export function sideText(path: string): string | undefined {
  try {
    return statSync(path).size > MOST_BYTES ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The JSON of a file beside a transcript; undefined as for `sideText`, and when it is not JSON. */
export function sideJson(path: string): unknown {
  try {
    return JSON.parse(sideText(path) ?? '');
  } catch {
    return undefined;
  }
}
