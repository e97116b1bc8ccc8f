import { exactly, type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { listAfter, quotedAfter } from './lists.js';
import type { Read } from './read-value.js';
import { looksGenerated } from './secret-heuristics.js';

const HEADER =
  /\bcookies?["']?(?:[ \t]{0,4}[:=][ \t]{0,4}|(?<=--cookie)[ \t]{1,4})["']?(?<pairs>[^\n"']{8,8192})/diy;
/** `curl -b 'session=…'`; without `=`, the argument is a file. */
const FLAG =
  /\bcurl[ \t](?:[^\n|;\\]|\\\r?\n|\\[^\r\n]){0,400}?(?<=\s)-b[ \t]{0,4}["']?(?<pairs>[\w.-]{1,64}=[^\n"']{8,8192})/dy;
const PAIR = /(?<=^|[;,][ \t]{0,4})[\w.%$-]{1,64}=(?<secret>[^;,\s"']{12,4096})/dg;
/** Objects of cookies: `"cookies": [{"name": "…", "value": "…"}]`, `cookies={"session": "…"}`, `Cookie(name='…', …)`. */
const OBJECTS = /\bcookies?\\{0,7}["']?(?:[ \t]{0,4}[:=][ \t]{0,4}(?=[[{]\s{0,40}[{\\"'])|(?=\())/iy;
const PROPERTY = /[:=][ \t]{0,4}\\{0,7}["'](?<secret>[^"'\\\s;,]{12,4096})(?=\\{0,7}["'])/dg;
const LONGEST = 8_192;

/** Cookies with a generated value, in headers (`Cookie: …`, `"set-cookie": ["…"]`), `curl -b`, and objects of cookies. */
export const COOKIES: Finder = {
  anchors: [...inAnyCase(['cookie']), ...exactly(['curl '])],
  at: (text, place, anchor) => {
    const [from, to] =
      matchAt(anchor === 'cookie' ? HEADER : FLAG, text, place)?.indices?.groups?.pairs ?? [];
    const isObject = anchor === 'cookie' && matchAt(OBJECTS, text, place) !== null;
    const start = OBJECTS.lastIndex;
    const found = isObject ? generatedIn(text, start, closingBracket(text, start), PROPERTY) : [];
    const lines =
      anchor === 'cookie' ? lineValues(text, place + (/s/iy.test(text.charAt(place + 6)) ? 7 : 6)) : [];
    if (from !== undefined && to !== undefined) lines.push({ start: from, end: to, quoted: false });
    if (lines.length === 0 && found.length === 0) return undefined;
    found.push(...lines.flatMap(({ start: first, end }) => generatedIn(text, first, end, PAIR)));
    return {
      findings: found,
      next: Math.max(place + 1, ...lines.map(({ end }) => end), ...found.map(({ end }) => end)),
    };
  },
};

const CREDENTIALS = /^(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})$/d;

/** `authorization: ["Token …"]`; next to the name, `rules.ts` finds it. */
export const AUTHORIZATION: Finder = {
  anchors: inAnyCase(['authorization']),
  at: (text, place) => {
    const findings = lineValues(text, place + 'authorization'.length).flatMap(({ start, end }): Finding[] => {
      const [from, to] = CREDENTIALS.exec(text.slice(start, end))?.indices?.groups?.secret ?? [];
      if (from === undefined || to === undefined || !looksGenerated(text.slice(start + from, start + to)))
        return [];
      return [{ start: start + from, end: start + to, kind: 'authorization', general: true }];
    });
    return findings.length === 0
      ? undefined
      : { findings, next: Math.max(...findings.map(({ end }) => end)) };
  },
};

const REST_OF_LINE = /[^\n"'`\\\]]{1,8192}/y;

/** Values of a header in a list or in quotes, which may contain spaces. */
function lineValues(text: string, keyEnd: number): Read[] {
  const quoted = quotedAfter(text, keyEnd);
  if (quoted !== null) return [quoted];
  return listAfter(text, keyEnd, (given, from) => {
    const rest = matchAt(REST_OF_LINE, given, from)?.[0].trimEnd();
    return rest === undefined || rest === '' ? null : { start: from, end: from + rest.length, quoted: false };
  });
}

function generatedIn(text: string, from: number, to: number, pattern: RegExp): Finding[] {
  return Array.from(text.slice(from, to).matchAll(pattern), ({ indices, groups }): Finding[] => {
    const [start, end] = indices?.groups?.secret ?? [0, 0];
    if (!looksGenerated(groups?.secret?.replace(/%[0-9A-F]{2}/gi, '') ?? '')) return [];
    return [{ start: from + start, end: from + end, kind: 'cookie', general: true }];
  }).flat();
}

/** The end of the brackets that open at a place, at most `LONGEST` characters after it. */
function closingBracket(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < Math.min(text.length, from + LONGEST); at += 1) {
    const character = text.charAt(at);
    if (character === '[' || character === '{' || character === '(') depth += 1;
    else if (character === ']' || character === '}' || character === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return Math.min(text.length, from + LONGEST);
}
