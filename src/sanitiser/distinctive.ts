import { parseJson } from '../core/json.js';

/** Shorter values are not searched for: they occur in other text by chance. */
export const LEAST_CHARS = 8;
/** From this length, a value is also found inside a longer word. */
export const FREE_CHARS = 16;

/** A version, a date, a time, a number with separators. */
const NUMBERS = /^v?\d[\d.,:/+_-]*(?:T[\d:.]{1,16}Z?)?$/i;
/** Words, each optionally followed by a number: `eu-west-1`, `Ubuntu2204`, `getUserName2`, `utf8_general_ci`. */
const WORD_PARTS = /[A-Z]{0,4}[a-z]{2,24}\d{0,4}|[A-Z]{2,24}\d{0,4}|\d{1,4}|[-_./:@\\]/g;
const FILE_NAME = /[\w-]\.(?:[a-z]{2,4}\d?|json|yaml|toml|html|java|scala|swift|lock)$/;

/**
 * Whether a removed value is long and varied enough to remove it everywhere. Words, identifiers, paths, host names, file
 * names, versions and dates are not.
 */
export function isDistinctive(value: string): boolean {
  if (value.length < LEAST_CHARS || /\s/.test(value)) return false;
  if (new Set(value).size < Math.min(8, Math.ceil(value.length / 2))) return false;
  if (NUMBERS.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (value.length >= FREE_CHARS) return isLongAndVaried(value);
  return isShortAndVaried(value);
}

function isWords(value: string): boolean {
  return value.replace(WORD_PARTS, '').length <= (value.length < 32 ? 1 : 0);
}

/** Letters with digits, or letters in random case, or several symbols. */
function isLongAndVaried(value: string): boolean {
  if (isWords(value) || (value.length < 32 && FILE_NAME.test(value))) return false;
  if (/\d/.test(value)) return true;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  const symbols = value.match(/[!#%&*+$^~?@=]/g)?.length ?? 0;
  return changes >= value.length * 0.4 || symbols >= 3;
}

/** Three kinds of characters, or alternating letters and digits. */
function isShortAndVaried(value: string): boolean {
  if (!/\d/.test(value) || isWords(value) || FILE_NAME.test(value)) return false;
  if (/[()[\]{}<>/\\"'`,;]/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[!#%&*+$^~?@=-]/].filter((kind) => kind.test(value)).length;
  const turns = value.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return kinds >= 3 || turns >= 4;
}

/** Longer values are searched for only in their original form. */
const LONGEST_DERIVED = 4_096;
const PLAIN = /^[\x21-\x7e]+$/;
const BASE64 = /^[A-Za-z0-9+/_-]{12,}={0,2}$/;
/** The long lines of a multi-line key. */
const MATERIAL = /[A-Za-z0-9+/_=-]{40,}/g;

/**
 * The distinctive forms of a value, each once: itself, and encoded or decoded by percent encoding, JSON escapes or
 * base64. For a multi-line value, such as a private key, its long lines.
 */
export function formsOf(value: string): string[] {
  if (/\s|\\[nr]/.test(value)) return (value.match(MATERIAL) ?? []).filter(isDistinctive);
  const forms = new Set<string>([value]);
  if (value.length <= LONGEST_DERIVED) {
    for (const plain of [value, percentDecoded(value), unescapedJson(value), base64Decoded(value)]) {
      if (plain === undefined || !isDistinctive(plain)) continue;
      forms.add(plain);
      if (!PLAIN.test(plain)) continue;
      forms.add(encodeURIComponent(plain));
      forms.add(JSON.stringify(plain).slice(1, -1));
      const base64 = Buffer.from(plain, 'latin1').toString('base64').replace(/=+$/, '');
      forms.add(base64);
      forms.add(base64.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return [...forms].filter(isDistinctive);
}

function percentDecoded(value: string): string | undefined {
  if (!/%[0-9A-Fa-f]{2}/.test(value)) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function unescapedJson(value: string): string | undefined {
  const parsed = /\\["\\/u]/.test(value) ? parseJson(`"${value}"`) : undefined;
  return typeof parsed === 'string' ? parsed : undefined;
}

/** Only for base64 of printable ASCII. */
function base64Decoded(value: string): string | undefined {
  if (!BASE64.test(value)) return undefined;
  const plain = Buffer.from(value, 'base64').toString('latin1');
  if (!PLAIN.test(plain)) return undefined;
  const again = Buffer.from(plain, 'latin1').toString('base64').replace(/=+$/, '');
  return again === value.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/') ? plain : undefined;
}
