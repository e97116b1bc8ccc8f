import { type Finder, inAnyCase, matchAt } from './finder.js';
import {
  isPassphrase,
  isPlaceholder,
  looksChosen,
  looksGenerated,
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

/**
 * From the end of the key to the value: `=`, `:`, `=>`, `:=`, `+=`, `": "`, `\": \"`, `'] = `, `: string = `,
 * ` string = `.
 */
const SEPARATOR =
  /\\{0,7}["'`]?(?:\[?\]| \[[\w*]{0,24}\])?[ \t]{0,20}(?:(?::[ \t]{0,9}[A-Za-z]\w{0,20}|string)[ \t]{0,9}=(?!=)(?=[ \t]{0,9}\S)|value[ \t]?=|=>|->|<-|:{1,3}=|[?+.]=|\?\?=|={1,3}|:|[：→])[ \t]{0,20}@?/y;
/** The value on the next line: a block of YAML, or a string. */
const NEXT_LINE =
  /["'`]?[ \t]{0,9}[:=][ \t]{0,9}(?:[|>][-+]?[ \t]{0,9}(?:\r?\n|\\n)[ \t]{1,40}|\r?\n[ \t]{1,40}(?=["'`]))/y;
/** The key is itself a value: `name: TOKEN` and `value: …`, `"key": "TOKEN", "value": "…"`. */
const NAMED = /\\{0,7}["']?[ \t]{0,4},?\s{0,60}\\{0,7}["']?value\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}/iy;
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
const ELEMENT = /["']?>\s{0,80}([^<>\s]{1,512})\s{0,80}<\//y;
/** `<key>TOKEN</key> <value>…</value>`. */
const ELEMENTS = /<\/\w{1,20}>\s{0,60}<(?:value|string)>\s{0,9}([^<>\s]{1,512})\s{0,9}<\//iy;
const LINE_BEFORE = /[\r\n](?:[ \t>#|-]|\d{1,6}[|:\t])*["']?[\w.-]*$/;
const LINE_AFTER = /[ \t]{0,200}(?:\r|\n|$|#|\\n|\\r)/y;
const BARE = /[^\s"'`<>\\]{1,512}/y;
const BARE_END = /[;,&](?=$|[\w.-]{1,64}[=:])|[|)\]}]/;

const MAX_QUOTED = 4096;
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
    const key = matchAt(KEY_HERE, text, place)?.[0];
    if (key === undefined) return undefined;
    const keyEnd = place + key.length;
    const before = text.slice(Math.max(0, place - 16), place);
    const value = names(key) ? valueAfter(text, place, keyEnd) : null;
    if (value === null || HARMLESS_BEFORE.test(before)) return { findings: [], next: keyEnd };
    const { start, end, form } = value;
    const kind = kindOf(key);
    const secret = isSecretValue(kind, text.slice(start, end), form);
    return {
      findings: secret ? [{ start, end, kind, general: true }] : [],
      // A long run that is not a secret is data or minified code; searching it again at every key would be quadratic.
      next: secret || end - start > 256 ? end : keyEnd,
    };
  },
};

export interface Value {
  start: number;
  end: number;
  form: Form;
}

/** The value assigned to the key at `[keyStart, keyEnd)`. */
export function valueAfter(text: string, keyStart: number, keyEnd: number): Value | null {
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
    const value = readValue(text, keyEnd + nextLine[0].length, () => 'firm');
    return value === null || matchAt(LINE_AFTER, text, value.end) !== null || quoted(text, value)
      ? value
      : null;
  }
  if (separator === null) {
    const flag = isFlag(before, key) ? matchAt(FLAG_SEPARATOR, text, keyEnd) : null;
    if (flag !== null) return readValue(text, keyEnd + flag[0].length, () => 'firm');
    const argument = matchAt(ARGUMENT, text, keyEnd);
    if (argument !== null) return valueAs('loose', text, keyEnd + argument[0].length);
    const column = matchAt(COLUMN, text, keyEnd);
    if (column !== null) return { start: keyEnd + 1, end: keyEnd + column[0].length, form: 'generated' };
    const cell = matchAt(CELL, text, keyEnd);
    if (cell !== null) return valueAs('loose', text, keyEnd + cell[0].length);
    const space = matchAt(QUOTED, text, keyEnd);
    return space === null ? null : valueAs('generated', text, keyEnd + space[0].length);
  }
  return readValue(text, keyEnd + separator[0].length, (end) => {
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
  const value = readValue(text, from, () => form);
  return value && { ...value, form };
}

const quoted = (text: string, { start }: Value): boolean => /["'`]/.test(text.charAt(start - 1));

/** A value in quotes to its closing quote on the same line, else up to the next space or delimiter. */
function readValue(text: string, from: number, formOfBare: (end: number) => Form): Value | null {
  let start = from;
  while (start < from + 7 && text.charAt(start) === '\\') start++;
  const quote = text.charAt(start);
  if (quote === '"' || quote === "'" || quote === '`') {
    const escaped = start > from;
    const end = closingQuote(text, start + 1, quote, escaped);
    if (end !== null)
      return {
        start: start + 1,
        end: escaped ? beforeBackslashes(text, end) : end,
        form: formOfBare(end) === 'env' ? 'env' : 'quoted',
      };
    start++;
  }
  const run = matchAt(BARE, text, start)?.[0];
  if (run === undefined) return null;
  const cut = run.search(BARE_END);
  const end = start + (cut < 0 ? run : run.slice(0, cut)).replace(/[,;.:]$/, '').length;
  return end > start ? { start, end, form: formOfBare(end) } : null;
}

function closingQuote(text: string, from: number, quote: string, escaped: boolean): number | null {
  const limit = Math.min(text.length, from + MAX_QUOTED);
  for (let index = from; index < limit; index++) {
    const character = text.charAt(index);
    if (character === '\n' || character === '\r') return null;
    if (character === quote) return index;
    if (character === '\\') {
      if (escaped && text.charAt(index + 1) === quote) return index;
      index++;
    }
  }
  return null;
}

function beforeBackslashes(text: string, end: number): number {
  let index = end;
  while (text.charAt(index - 1) === '\\') index--;
  return index;
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
