import { type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { argumentAfter, type Listed, listAfter, listBelow, separatedAfter, TO_VALUE } from './lists.js';
import { readValue } from './read-value.js';
import {
  isPassphrase,
  isPlaceholder,
  looksChosen,
  looksGenerated,
  looksLikeKey,
  looksScrambled,
} from './secret-heuristics.js';

/** `access_key`, `AccessKey`, `access-key` and `access key`. */
const OF_KEYS = [
  ...['api', 'access', 'auth', 'account', 'private', 'secret', 'signing', 'encryption', 'master', 'storage'],
  ...['license', 'preshared', 'pre-shared', 'pre_shared', 'admin', 'app', 'application', 'subscription'],
  ...['client', 'device', 'deploy', 'stream', 'shared', 'webhook', 'hmac', 'jwt', 'recovery', 'activation'],
];

/** `dbPass`, `userpass`; a `pass` behind other letters is a bypass or a compass. */
const OF_PASSES = [
  ...['ssh', 'db', 'user', 'root', 'admin', 'smtp', 'mail', 'ftp', 'key', 'store', 'mysql', 'redis'],
  ...['require', 'vpn', 'wifi'],
];

/** Beginnings of keys. */
const KEY_STARTS = [
  ...['passw', 'passphrase', 'passcode', 'pass', 'pwd', 'pw', 'p/w', 'psk', 'secret', 'credential', 'token'],
  ...['_key', '_pat', 'sonar.login', 'sonar_login', 'sonarlogin'],
  ...OF_PASSES.map((word) => `${word}pass`),
  ...OF_KEYS.flatMap((word) => ['', '_', '-', ' '].map((between) => `${word}${between}key`)),
];

/**
 * Keys of secret values: `DB_PASSWORD=…`, `password: …`, `"apiKey": "…"`, `--token …`, `<password>…</password>`,
 * `setPassword("…")`, also inside escaped JSON. Any text may come before the word in the key, but not after it:
 * `TOKEN_URL`, `passwordField` and `tokens` do not count.
 */
const KEY = new RegExp(
  `(?:(?:${OF_KEYS.join('|')})[_ -]?key|passw(?:or)?ds?|passphrase|passcode|(?:(?<![A-Za-z])|${OF_PASSES.join('|')})pass|pwd|(?<![A-Za-z])(?:p/?w|psk)|secret|credential|token|_pat|sonar[._]?login|client[_-]?key[_-]?data|_key)(?:[_-]?(?:key|value|prod|production|dev|staging|live|base|hash|\\d{1,2}))?(?![A-Za-z0-9_])`,
  'gi',
);
const KEY_HERE = new RegExp(KEY, 'iy');
/** `tokens: […]`, `api_keys:` before a list. */
const KEYS_HERE = new RegExp(`(?:(?:${OF_KEYS.join('|')})[_ -]?key|secret|token)s(?![A-Za-z0-9_])`, 'iy');

/**
 * From the end of the key to the value: `=`, `:`, `=>`, `:=`, `+=`, `": "`, `\": \"`, `'] = `, `: string = `,
 * ` string = `.
 */
const SEPARATOR =
  /\\{0,7}["'`]?(?:\[?\]| \[[\w*]{0,24}\])?[ \t]{0,20}(?:(?::[ \t]{0,9}[A-Za-z]\w{0,20}|string)[ \t]{0,9}=(?!=)(?=[ \t]{0,9}\S)|value[ \t]?=|=>|->|<-|:{1,3}=|[?+.]=|\?\?=|={1,3}|:|[：→])[ \t]{0,20}@?/y;
/** The value on the next line: a block of YAML, or a string. */
const NEXT_LINE =
  /["'`]?[ \t]{0,9}[:=][ \t]{0,9}(?:[|>][-+]?[ \t]{0,9}(?:\r?\n|\\n)[ \t]{1,40}|\r?\n[ \t]{1,40}(?=["'`]))/y;
const NAMED = new RegExp(`${TO_VALUE}[ \\t]{0,4}`, 'iy');
/** `setPassword("…")`, `("API_KEY", "…")`, `env("TOKEN") || "…"`. */
const ARGUMENT =
  /(?:\(|\\{0,7}["'`][ \t]{0,4},[ \t]{0,8}b?|["'`]?[)\]]{0,2}[ \t]{0,4}(?:\|\||\?\?|\bor\b)[ \t]{0,4})(?=\\{0,7}["'`])/y;
/** `api_key "…";` */
const QUOTED = /[ \t]{1,4}(?=["'`])/y;
/** `token,…,` in a table. */
const COLUMN = /,([\w+/=-]{20,512})(?![^\s,;])/y;
/** `| password | … |` */
const CELL = /[`*]{0,2}[ \t]{1,20}\|[ \t]{1,20}(?=[^\s|-])/y;
const FLAG_BEFORE = /(?:^|[\s"'])--?[\w-]{0,40}$/;
const FLAG_SEPARATOR = /[ \t]{1,9}(?=[^\s-])/y;
const ELEMENT =
  /["']?>\s{0,80}(?:<[\w:]{1,40}>\s{0,80}|<!\[CDATA\[)?([^<>\s]{1,512}?)\s{0,80}(?:\]\]>\s{0,80})?<\//y;
/** `<key>TOKEN</key> <value>…</value>`, `<dt>token</dt><dd>…</dd>`, `<td>token</td><td>…</td>`. */
const ELEMENTS =
  /<\/\w{1,20}>\s{0,60}(?:<array>\s{0,60})?<(?:value|string|dd|t[dh])(?:\s[^<>]{0,80})?>(?:<code>)?\s{0,9}([^<>\s]{1,512})\s{0,9}<\//iy;
const LINE_BEFORE = /[\r\n](?:[ \t>#|-]|\d{1,6}[|:\t])*["']?[\w.-]*$/;
const LINE_AFTER = /[ \t]{0,200}(?:\r|\n|$|#|\\n|\\r)/y;
/** Before keys that are not secret, such as `nextPageToken`, a position in a listing. */
export const HARMLESS_BEFORE =
  /(?:page|next|continuation|cursor|sync|csrf|xsrf|bypass|cancel(?:lation)?|public|pub|cache|primary|foreign|sort|partition|idempotency|registry|hot|host|object|group|storage|bucket)[_-]?$/i;

/**
 * The certainty that a text is a value: `env` after `KEY=`; `quoted` and `firm` in places for values only; `loose` where
 * prose and code are possible; `marked` and `generated` where a secret is unlikely, unless it contains a symbol or looks
 * generated.
 */
export type Form = 'env' | 'quoted' | 'firm' | 'loose' | 'marked' | 'generated';

/** The kind of a key: `password`, `token`, `secret` or `api-key`; null for a key without a secret. */
export function kindOfKey(key: string): string | null {
  for (const match of key.matchAll(KEY)) {
    if (match.index + match[0].length !== key.length || !names(match[0])) continue;
    if (HARMLESS_BEFORE.test(key.slice(0, match.index))) return null;
    return kindOf(match[0]);
  }
  return null;
}

/** Whether a value under a key of this kind is a secret. */
export function isSecretValue(kind: string, value: string, form: Form = 'quoted'): boolean {
  if (form === 'marked') return /^[^/]*[!#%&*+$^~?@][^/]*$/.test(value) && looksChosen(value, 'loose');
  if (looksGenerated(value)) return true;
  if (form === 'generated') return false;
  if ((form === 'env' || form === 'quoted') && looksScrambled(value)) return true;
  if (form === 'env' && kind !== 'token' && /^[A-Za-z]{10,}$/.test(value)) {
    return !isPlaceholder(value) && new Set(value.toLowerCase()).size >= 7;
  }
  if (kind === 'password')
    return (
      looksChosen(value, form === 'loose' ? 'loose' : 'firm') || (form !== 'loose' && isPassphrase(value))
    );
  return form === 'env' && kind === 'secret' && value.length >= 8 && looksChosen(value, 'firm');
}

/** Secrets in assignments. Each lookahead is bounded. */
export const ASSIGNMENTS: Finder = {
  anchors: inAnyCase(KEY_STARTS),
  at: (text, place) => {
    const one = matchAt(KEY_HERE, text, place)?.[0];
    const key = one ?? matchAt(KEYS_HERE, text, place)?.[0];
    if (key === undefined) return undefined;
    const keyEnd = place + key.length;
    const before = text.slice(Math.max(0, place - 16), place);
    if (!names(key) || HARMLESS_BEFORE.test(before)) return { findings: [], next: keyEnd };
    const kind = kindOf(key);
    const values = one === undefined ? severalAfter(text, place, keyEnd) : valuesAfter(text, place, keyEnd);
    const findings = values.flatMap(({ start, end, form }): Finding[] => {
      const value = text.slice(start, end);
      const secret = one === undefined ? looksLikeKey(value, true) : isSecretValue(kind, value, form);
      return secret ? [{ start, end, kind, general: true }] : [];
    });
    return { findings, next: nextAfter(keyEnd, values, findings) };
  },
};

/**
 * Where the search goes on. A long run that is not a secret is data or minified code; searching it again at every key
 * would be quadratic.
 */
export function nextAfter(keyEnd: number, values: readonly Value[], findings: readonly Finding[]): number {
  const ends = findings.map(({ end }) => end);
  const [first, last] = [values[0], values.at(-1)];
  if (first !== undefined && last !== undefined && last.end - first.start > 256) ends.push(last.end);
  return Math.max(keyEnd, ...ends);
}

export interface Value {
  start: number;
  end: number;
  form: Form;
}

/** The values assigned to the key at `[keyStart, keyEnd)`: those of a list, and the one next to the key. */
export function valuesAfter(text: string, keyStart: number, keyEnd: number): Value[] {
  const value = valueAfter(text, keyStart, keyEnd);
  const listed = listedAfter(text, keyStart, keyEnd);
  const isListed = listed.some(({ start, end }) => value !== null && value.start < end && start < value.end);
  return value === null || isListed ? listed : [...listed, value];
}

/** `"x-api-key",⏎"…"`, `["x-api-key"]=>⏎string(32) "…"`, `<<"x-api-key">>,<<"…">>` */
const PAIR_OF_LINES =
  /\\{0,7}["'`](?:[ \t]{0,4},(?:\s|\\{1,7}[nrt]){1,60}b?|\]=>\s{1,60}string\(\d{1,5}\) |>>,[ \t]{0,4}<<)(?=\\{0,7}["'`])/y;
/** Next to words, as in `['required', 'min:8']`, a value is a rule or an option. */
const ORDINARY = /^[a-z][a-z_-]*$/;

/** The values of a key in the plural. */
function severalAfter(text: string, keyStart: number, keyEnd: number): Value[] {
  const listed = listedAfter(text, keyStart, keyEnd);
  if (listed.length > 0) return listed;
  return separatedAfter(text, keyEnd).map(({ start, end }) => ({ start, end, form: 'generated' }));
}

/** `{"value": "…", "name": "x-api-key"}`, `value: …⏎name: x-api-key`: the value before its key. */
const NAME_BEFORE = String.raw`(?:name|key)\\{0,7}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,7}["']?[\w.-]{0,40}$`;
const IS_NAME = new RegExp(NAME_BEFORE, 'i');
const VALUE_BEFORE_NAME = new RegExp(
  `\\bvalues?\\\\{0,7}["']?[ \\t]{0,4}:[ \\t]{0,4}\\\\{0,7}["']?(?<value>[^"'\\\\\\s]{6,512})\\\\{0,7}["']?[,\\s]\\s{0,60}\\\\{0,7}["']?${NAME_BEFORE}`,
  'di',
);
/** Postman: `"apikey": [{"key": "value", "value": "…"}, {"key": "key", "value": "x-api-key"}]`. */
const POSTMAN =
  /\\{0,7}"\s{0,4}:\s{0,4}\[\s{0,60}(?:\{[^{}]{0,300}\}\s{0,60},\s{0,60}){0,3}\{\s{0,60}\\{0,7}"key\\{0,7}"\s{0,4}:\s{0,4}\\{0,7}"value\\{0,7}"\s{0,4},\s{0,60}\\{0,7}"value\\{0,7}"\s{0,4}:\s{0,4}(?=\\{0,7}")/y;
/** The line of a key that is a title, an item of a list, or a word in bold. */
const TITLE_LINE =
  /(?:[\r\n"]|\\n)(?:[ \t>|]|\d{1,6}[|:\t→])*(?:#{1,6}[ \t]|[*_]{2}|[-*•][ \t]+(?:-[ \t]+)?)[^\n]{0,60}$/;

function valueBefore(text: string, keyStart: number, before: string): Value[] {
  if (!IS_NAME.test(before)) return [];
  const from = Math.max(0, keyStart - 700);
  const [start, end] = VALUE_BEFORE_NAME.exec(text.slice(from, keyStart))?.indices?.groups?.value ?? [];
  return start === undefined || end === undefined
    ? []
    : [{ start: from + start, end: from + end, form: 'quoted' }];
}

function listedAfter(text: string, keyStart: number, keyEnd: number): Value[] {
  const before = text.slice(Math.max(0, keyStart - 64), keyStart);
  const option = argumentAfter(text, keyEnd);
  if (option !== null && isFlag(before, text.slice(keyStart, keyEnd))) return [{ ...option, form: 'firm' }];
  const listed = listAfter(text, keyEnd);
  const line = keyStart <= 64 ? `\n${before}` : before;
  if (listed.length === 0) {
    const pair = matchAt(PAIR_OF_LINES, text, keyEnd) ?? matchAt(POSTMAN, text, keyEnd);
    const value = pair && valueAs('generated', text, keyEnd + pair[0].length);
    if (value !== null) return [value];
    const below = listBelow(text, keyEnd, TITLE_LINE.test(line));
    return below.length > 0
      ? below.map(({ quoted, ...place }) => ({ ...place, form: quoted ? 'quoted' : 'generated' }))
      : valueBefore(text, keyStart, before);
  }
  const isOrdinary = listed.some(({ start, end }) => ORDINARY.test(text.slice(start, end)));
  const opensLine = LINE_BEFORE.test(line);
  const formOf = ({ as, quoted }: Listed): Form => {
    if (listed.length > 1 && isOrdinary) return 'generated';
    if (quoted) return 'quoted';
    if (as === 'below' || as === 'indented') return as === 'indented' && opensLine ? 'loose' : 'generated';
    return as === 'item' && opensLine ? 'firm' : 'loose';
  };
  return listed.map((each) => ({ start: each.start, end: each.end, form: formOf(each) }));
}

function valueAfter(text: string, keyStart: number, keyEnd: number): Value | null {
  const element = matchAt(ELEMENT, text, keyEnd) ?? matchAt(ELEMENTS, text, keyEnd);
  if (element !== null) {
    const [all, value = ''] = element;
    const start = keyEnd + all.lastIndexOf(value);
    return { start, end: start + value.length, form: 'firm' };
  }
  const before = text.slice(Math.max(0, keyStart - 64), keyStart);
  const key = text.slice(keyStart, keyEnd);
  const separator = matchAt(SEPARATOR, text, keyEnd);
  const nextLine =
    matchAt(NEXT_LINE, text, keyEnd) ?? (separator === null ? matchAt(NAMED, text, keyEnd) : null);
  if (nextLine !== null) {
    const value = readAs(text, keyEnd + nextLine[0].length, () => 'firm');
    return value === null || matchAt(LINE_AFTER, text, value.end) !== null || quoted(text, value)
      ? value
      : null;
  }
  if (separator === null) {
    const flag = isFlag(before, key) ? matchAt(FLAG_SEPARATOR, text, keyEnd) : null;
    if (flag !== null) return readAs(text, keyEnd + flag[0].length, () => 'firm');
    const argument = matchAt(ARGUMENT, text, keyEnd);
    if (argument !== null) return valueAs('loose', text, keyEnd + argument[0].length);
    const column = matchAt(COLUMN, text, keyEnd);
    if (column !== null) return { start: keyEnd + 1, end: keyEnd + column[0].length, form: 'generated' };
    const cell = matchAt(CELL, text, keyEnd);
    if (cell !== null) return valueAs('loose', text, keyEnd + cell[0].length);
    const space = matchAt(QUOTED, text, keyEnd);
    return space === null ? null : valueAs('generated', text, keyEnd + space[0].length);
  }
  return readAs(text, keyEnd + separator[0].length, (end) => {
    if (separator[0] === '=') {
      if (key === key.toUpperCase() && !/[a-z]/.test(/\w*$/.exec(before)?.[0] ?? '')) return 'env';
      return /\s/.test(text.charAt(keyEnd + 1)) ? 'loose' : 'firm';
    }
    // `PASS: TestHttp2Frame1`, `first pass: x86_64`
    const opensLine = LINE_BEFORE.test(keyStart <= 64 ? `\n${before}` : before);
    if (/^pass$/i.test(key) && !/\w$/.test(before) && (key === 'PASS' || !opensLine)) return 'marked';
    return opensLine && matchAt(LINE_AFTER, text, end) !== null ? 'firm' : 'loose';
  });
}

/** `--token …`, `-password …`. */
function isFlag(before: string, key: string): boolean {
  return FLAG_BEFORE.test(before) && (before.includes('--') || kindOf(key) === 'password');
}

/** A value whose form does not depend on quotes. */
function valueAs(form: Form, text: string, from: number): Value | null {
  const value = readValue(text, from);
  return value && { ...value, form };
}

const quoted = (text: string, { start }: Value): boolean => /["'`]/.test(text.charAt(start - 1));

/** A value and its form. */
function readAs(text: string, from: number, formOfBare: (end: number) => Form): Value | null {
  const value = readValue(text, from);
  if (value === null) return null;
  const form = formOfBare(value.end);
  return { ...value, form: value.quoted && form !== 'env' ? 'quoted' : form };
}

/** `MAILGUN_KEY` counts as in an environment; `key-names.ts` handles other names in `_key`, by their values. */
function names(word: string): boolean {
  return !/^_key/i.test(word) || word === word.toUpperCase();
}

function kindOf(word: string): string {
  if (/pass|pwd|^p\/?w|^psk/i.test(word)) return 'password';
  if (/^(?:token|_pat|sonar)/i.test(word)) return 'token';
  return /^(?:secret(?![ _-]?key)|credential)/i.test(word) ? 'secret' : 'api-key';
}
