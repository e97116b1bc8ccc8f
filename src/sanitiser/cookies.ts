import { type Finder, inAnyCase } from './finder.js';
import type { Finding } from './findings.js';
import { looksGenerated } from './judge.js';

const HEADER = /\bcookies?["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<pairs>[^\n"']{8,8192})/diy;
const PAIR = /(?<=^|[;,][ \t]{0,4})[\w.%$-]{1,64}=(?<secret>[^;,\s"']{12,4096})/dg;

/**
 * Cookies of a request or an answer (`Cookie: …`, `set-cookie: …`) with a value that a machine made: sessions
 * mostly.
 */
export const COOKIES: Finder = {
  anchors: inAnyCase(['cookie']),
  at: (text, place) => {
    HEADER.lastIndex = place;
    const [from, to] = HEADER.exec(text)?.indices?.groups?.pairs ?? [];
    if (from === undefined || to === undefined) return undefined;
    return { findings: [...pairsIn(text.slice(from, to), from)], next: to };
  },
};

function* pairsIn(pairs: string, offset: number): Iterable<Finding> {
  for (const { indices, groups } of pairs.matchAll(PAIR)) {
    const [start, end] = indices?.groups?.secret ?? [0, 0];
    const value = groups?.secret ?? '';
    if (looksGenerated(value.replace(/%[0-9A-F]{2}/gi, '')))
      yield { start: offset + start, end: offset + end, kind: 'cookie', general: true };
  }
}
