import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { looksGenerated } from './secret-heuristics.js';

const HEADER =
  /\bcookies?["']?(?:[ \t]{0,4}[:=][ \t]{0,4}|(?<=--cookie)[ \t]{1,4})["']?(?<pairs>[^\n"']{8,8192})/diy;
/** `curl -b 'session=…'`; without `=`, the argument is a file. */
const FLAG =
  /\bcurl[ \t](?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?<=\s)-b[ \t]{0,4}["']?(?<pairs>[\w.-]{1,64}=[^\n"']{8,8192})/dy;
const PAIR = /(?<=^|[;,][ \t]{0,4})[\w.%$-]{1,64}=(?<secret>[^;,\s"']{12,4096})/dg;

/** Cookies with a generated value, in headers (`Cookie: …`, `set-cookie: …`), `curl --cookie` and `curl -b`. */
export const COOKIES: Finder = {
  anchors: [...inAnyCase(['cookie']), ...exactly(['curl '])],
  at: (text, place, anchor) => {
    const pattern = anchor === 'cookie' ? HEADER : FLAG;
    const [from, to] = matchAt(pattern, text, place)?.indices?.groups?.pairs ?? [];
    if (from === undefined || to === undefined) return undefined;
    const findings = Array.from(text.slice(from, to).matchAll(PAIR), ({ indices, groups }): Finding[] => {
      const [start, end] = indices?.groups?.secret ?? [0, 0];
      if (!looksGenerated(groups?.secret?.replace(/%[0-9A-F]{2}/gi, '') ?? '')) return [];
      return [{ start: from + start, end: from + end, kind: 'cookie', general: true }];
    });
    return { findings: findings.flat(), next: to };
  },
};
