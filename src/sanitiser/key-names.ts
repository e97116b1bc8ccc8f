import { type Form, HARMLESS_BEFORE, nextAfter, valuesAfter } from './assignments.js';
import { type Finder, inAnyCase, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { isStrong, looksLikeKey } from './secret-heuristics.js';

/**
 * Ends of names for keys, as in `shopKey`, `shop_key`, `shop-auth`, `my shop key`. Unlike `token` or `password`, they may
 * also name a row, a button or a hash, so the value must look like a key, too.
 */
const WORDS = ['key', 'auth', 'salt', 'pat', 'cred', 'pass'];
const WORD =
  /(?:key|auth|salt|pat|creds?|credentials?|pass)(?:[_-]?(?:value|prod|dev|staging|live|\d{1,2}))?(?![A-Za-z0-9_]|-[A-Za-z])/iy;
/** Words of `assignments.ts`, in a sentence. */
const SPOKEN_WORDS = ['token', 'secret', 'credential'];
const SPOKEN_WORD = /(?:token|secret|credential|key)s?(?![\w-])/iy;
/** `the key for shop is …`, `Invalid key '…'`, `secret … within`: one run of characters soon after the word. */
const SOON =
  /(?=["'`*),:]{0,3}[ \t|])[^\n.;!?]{1,40}?(?<=[\s"'`=(])(?<value>[\w+/][\w+/.~-]{18,510}[\w=]={0,2})(?![\w+/=~-])/dy;
/** Other things in sentences about keys and tokens. */
const OF_HASHES =
  /\b(?:sha-?\d*|md5|hash(?:es)?|digest|checksum|commit|fingerprint|public|pub|id|ids|uuid|rsa|v\d)\b/i;

/** Things with keys that are not secret; also names for numbers, hashes and addresses. */
const HARMLESS =
  /(?:shard|skip|store|lru|embedding|source|thread|restore|stage|state|snapshot|version|revision|routing|hash|dist|dedup(?:e|lication)?|lookup|query|index|map|row|item|react|record|entity|unique|composite|natural|project|issue|locale|i18n|translation|message|theme|menu|node|tree|chunk|module|build|commit|content|file|path|image|asset|blob|uuid|guid|id|sha\d*|md5|checksum|digest|etag|e_tag|fingerprint|ssh|gpg|pgp|rsa|ecdsa|ed25519|verif(?:y|ication)|validation|known|peer|node|site|recaptcha|sitekey|publishable|client_?side|anon|widget|measurement|tracking|write|event|hmac_?sha\d*|apt|recv|trusted|import|expected|actual|valid)[_. -]?$/i;

/** Values of names that end in a word for keys. */
export const KEY_NAMES: Finder = {
  anchors: inAnyCase([...WORDS, ...SPOKEN_WORDS]),
  at: (text, place) => {
    if (!opensWord(text, place)) return undefined;
    const word = matchAt(WORD, text, place)?.[0];
    if (word === undefined) return spoken(text, place);
    const end = place + word.length;
    const values = valuesAfter(text, place, end);
    if (values.length === 0) return spoken(text, place) ?? { findings: [], next: end };
    const line = text.slice(Math.max(0, place - 24), place);
    const name = line.slice(line.lastIndexOf('\n') + 1);
    const quote = text.charAt(place - 1);
    const bareInQuotes = /^key/i.test(word) && /["']/.test(quote) && text.charAt(end) === quote;
    const kind = /^pass/i.test(word) ? 'password' : 'api-key';
    const findings = values.flatMap(({ start, end: last, form }): Finding[] => {
      const secret = text.slice(start, last);
      // Hex under `"key"` in JSON is usually the id of a store's entry.
      if (bareInQuotes && /^[0-9a-f]+$/i.test(secret)) return [];
      return isKeyUnder(name, word, secret, form) ? [{ start, end: last, kind, general: true }] : [];
    });
    return { findings, next: nextAfter(end, values, findings) };
  },
};

/** Whether a value is a key under this name: `abuseipdbKey`, `shop auth`. */
export function isNamedKey(name: string, value: string): boolean {
  for (const word of WORDS) {
    const place = name.toLowerCase().lastIndexOf(word);
    if (place < 0 || !opensWord(name, place)) continue;
    const found = matchAt(WORD, name, place)?.[0];
    if (found !== undefined && place + found.length === name.length)
      return isKeyUnder(name.slice(Math.max(0, place - 24), place), found, value, 'quoted');
  }
  return false;
}

/** A key in a sentence. */
function spoken(text: string, place: number): ReturnType<Finder['at']> {
  if (matchAt(SPOKEN_WORD, text, place) === null) return undefined;
  const [start, end] = matchAt(SOON, text, SPOKEN_WORD.lastIndex)?.indices?.groups?.value ?? [];
  if (start === undefined || end === undefined) return undefined;
  const before = text.slice(Math.max(0, place - 24), place);
  const about = before + text.slice(SPOKEN_WORD.lastIndex, start);
  const value = text.slice(start, end);
  if (
    HARMLESS_BEFORE.test(before) ||
    HARMLESS.test(before) ||
    OF_HASHES.test(about) ||
    !looksLikeKey(value, false)
  )
    return undefined;
  return { findings: [{ start, end, kind: 'api-key', general: true }], next: end };
}

/** `Cache restored from key: …`. */
const OF_CACHES = /\bcach(?:e|ed|ing)\b/i;
/** Forms of certain values. */
const SURE: ReadonlySet<Form> = new Set<Form>(['env', 'quoted', 'firm']);
/** Nouns for records, which usually have a UUID. */
const OF_RECORDS =
  /(?:user|account|session|order|product|customer|tenant|org|organization|team|client|device|request|response|job|task|step|run|trace|event|page|post|data|db|table|group|parent|child|root|local|remote|new|old|my|the|this|that|a|an|your|our|its|same|first|last|for|by|of|with|and|or|to|in)[_. -]?$/i;

function isKeyUnder(before: string, word: string, value: string, form: Form): boolean {
  if (HARMLESS_BEFORE.test(before) || HARMLESS.test(before)) return false;
  const bare = !/[A-Za-z0-9][_. -]?$/.test(before);
  if (OF_CACHES.test(before)) return false;
  if (!/^pass/i.test(word)) return looksLikeKey(value, !bare && !OF_RECORDS.test(before));
  return !bare && (looksLikeKey(value, false) || (SURE.has(form) && isStrong(value)));
}

/** `shopKey`, `shop_key`, `SHOP_KEY`, and not `monkey`. */
function opensWord(text: string, place: number): boolean {
  const before = text.charAt(place - 1);
  if (!/[A-Za-z]/.test(before)) return true;
  return /[a-z]/.test(before) && /[A-Z]/.test(text.charAt(place));
}
