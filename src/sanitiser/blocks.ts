import type { Edit } from './edits.js';
import { exactly, type Finder, matchAt } from './finder.js';
import type { Finding } from './findings.js';

const TAG = /<(\/?)private\s*>/gi;
const CLOSING_TAG = /<\/private/i;
const PRIVATE_MARKER = '[PRIVATE]';

/** Replaces each `<private>…</private>` (any case, multi-line, also nested) with `[PRIVATE]`. Unpaired tags stay. */
export function findPrivate(text: string): Edit[] {
  if (!CLOSING_TAG.test(text)) return [];
  const open: number[] = [];
  const hidden: Edit[] = [];
  for (const tag of text.matchAll(TAG)) {
    if (tag[1] === '') {
      open.push(tag.index);
      continue;
    }
    const start = open.pop();
    if (start === undefined) continue;
    while ((hidden.at(-1)?.start ?? -1) > start) hidden.pop();
    hidden.push({ start, end: tag.index + tag[0].length, text: PRIVATE_MARKER });
  }
  return hidden;
}

const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_MATERIAL = /[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=]*/g;
const KEY_LINES = /(?:(?:\s|\\[nr]){1,16}[A-Za-z0-9+/=]{16,128}){1,1000}/y;
/** Shorter base64 is an abridged example; the smallest real key (Ed25519) has 64 characters. */
const MIN_KEY_MATERIAL = 60;
const MAX_KEY_BLOCK = 65_536;

/**
 * PEM and PGP private keys, from the BEGIN line to the END line: plain, escaped in a JSON string, indented, quoted or
 * with line numbers. Without END (a truncated text), the finding includes the following lines of base64. Examples
 * without a key (`-----BEGIN PRIVATE KEY-----\n...`) are not findings.
 */
export function findPrivateKeys(text: string): Finding[] {
  const found: Finding[] = [];
  if (!text.includes('PRIVATE KEY')) return found;
  for (const begin of text.matchAll(KEY_BEGIN)) {
    const body = begin.index + begin[0].length;
    const dashes = text.indexOf('-----', body);
    const whole = dashes < 0 || dashes - body > MAX_KEY_BLOCK ? undefined : matchEnd(KEY_END, text, dashes);
    const end = whole ?? matchEnd(KEY_LINES, text, body);
    if (
      end !== undefined &&
      keyMaterial(text.slice(body, whole === undefined ? end : dashes)) >= MIN_KEY_MATERIAL
    )
      found.push({ start: begin.index, end, kind: 'private-key' });
  }
  return found;
}

/**
 * Beginnings of private keys' bodies, and patterns of the text before them, given by ASN.1 and OpenSSH: RSA (PKCS #1,
 * #8), EC (SEC 1, PKCS #8), Ed25519, OpenSSH. Public keys and certificates begin differently.
 */
const BODY_STARTS: Readonly<Record<string, string>> = {
  IBAAKC: 'MII[A-Z][A-Za-z0-9+/][AQgw]',
  IBAAKB: 'MII[A-Z][A-Za-z0-9+/][AQgw]',
  IBAAJB: 'MII[A-Z][A-Za-z0-9+/][AQgw]',
  IBADANBgkqhkiG9w0BAQEFAASC: 'MII[A-Z][A-Za-z0-9+/][AQgw]',
  MHcCAQEEI: '',
  MIGkAgEBBDA: '',
  MIGHAgEAMBMGByqGSM49: '',
  MIG2AgEAMBAGByqGSM49: '',
  MC4CAQAwBQYDK2VwBCIEI: '',
  b3BlbnNzaC1rZXktdjEAAAAA: '',
};
const BODY_AT: ReadonlyMap<string, RegExp> = new Map(
  Object.entries(BODY_STARTS).map(([start, head]) => [
    start,
    new RegExp(`(?<=(?<![A-Za-z0-9+/])${head})${start}[A-Za-z0-9+/]{20,20000}={0,2}`, 'y'),
  ]),
);
const MORE_LINES = /(?:(?:\s|\\[nr]|["'+]){1,16}[A-Za-z0-9+/=]{16,128}(?![\w-])){1,1000}/y;
const LONGEST_HEAD = 6;

/** Bodies of private keys without a BEGIN line: excerpts, or values of settings. */
export const BARE_KEYS: Finder = {
  anchors: exactly(Object.keys(BODY_STARTS)),
  at: (text, place, start) => {
    const pattern = BODY_AT.get(start);
    const end = pattern === undefined ? undefined : matchEnd(pattern, text, place);
    if (end === undefined) return undefined;
    const last = matchEnd(MORE_LINES, text, end) ?? end;
    const first = BODY_STARTS[start] === '' ? place : place - LONGEST_HEAD;
    if (keyMaterial(text.slice(first, last)) < MIN_KEY_MATERIAL) return undefined;
    return { findings: [{ start: first, end: last, kind: 'private-key' }], next: last };
  },
};

function keyMaterial(body: string): number {
  let length = 0;
  for (const [run] of body.matchAll(KEY_MATERIAL)) length += new Set(run).size > 4 ? run.length : 0;
  return length;
}

function matchEnd(sticky: RegExp, text: string, at: number): number | undefined {
  return matchAt(sticky, text, at) === null ? undefined : sticky.lastIndex;
}
