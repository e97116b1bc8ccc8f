import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { looksGenerated } from './secret-heuristics.js';

const HEADER =
  /\bcookies?["']?(?:[ \t]{0,4}[:=][ \t]{0,4}|(?<=--cookie)[ \t]{1,4})["']?(?<pairs>[^\n"']{8,8192})/diy;
/** `curl -b 'session=…'`; without a `=` it is a file. */
const FLAG =
  /\bcurl[ \t](?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?<=\s)-b[ \t]{0,4}["']?(?<pairs>[\w.-]{1,64}=[^\n"']{8,8192})/dy;
const PAIR = /(?<=^|[;,][ \t]{0,4})[\w.%$-]{1,64}=(?<secret>[^;,\s"']{12,4096})/dg;

/**
 * Cookies of a request or an answer (`Cookie: …`, `set-cookie: …`) with a value that a machine made: sessions
 * mostly; also `curl --cookie` and `curl -b`.
 */
export const COOKIES: Finder = {
  anchors: [...inAnyCase(['cookie']), ...exactly(['curl '])],
  at: (text, place, anchor) => {
    const pattern = anchor === 'cookie' ? HEADER : FLAG;
    const [from, to] = matchAt(pattern, text, place)?.indices?.groups?.pairs ?? [];
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
