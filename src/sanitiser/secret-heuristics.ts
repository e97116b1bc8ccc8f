/**
 * Is this value a secret, or does it only stand where one would? Everything here errs towards keeping the text:
 * what has a shape of its own (`ghp_…`, a JWT) is found by that shape and never asked about.
 */

/** Variables, templates, YAML aliases, masks and addresses: the value is elsewhere or has been taken out already. */
const STANDS_FOR_ANOTHER =
  /^[$%<{]|^[*&][A-Za-z][\w-]*$|[$#]\{|\{\{|\$\(|<[a-z][^>]*>|%[A-Z_]{2,40}%|\.\.\.|…|\*{3}|•{3}|(?:x|X|0|\?|-|_){5}|^(?:x+|X+|\.+)$|^(?:https?|file|ssh|git):|^(?:\.{1,2}|~)?\/[\w.-]+\/|^[.~]{0,2}\/[\w.-]{0,16}$|^[A-Za-z]:[\\/]|\b(?:process|import\.meta|os|secrets|vars|config|settings|self|this|options|env|ctx)\.[A-Za-z_]/;

/** Words that people write where a real value would go. */
const EXAMPLE_WORDS =
  /example|sample|dummy|fake|mock|placeholder|change|replace|insert|redact|your|foo|bar|passw|pwd|passphrase|secret|token|api[_-]?key|credential|none|null|undefined|test|demo|default|admin|root|user|guest|string|hidden|masked|todo|1234|abcd|qwerty|asdf|letmein|lorem|wachtwoord|kennwort|contrase|senha|motdepasse|parola/i;

/** Of those, the ones that do not turn up by chance in a long random value. */
const EXAMPLE_WORDS_IN_LONG =
  /example|placeholder|change[_-]?me|replace[_-]|your[_-]|dummy|1234567890?abcdef/i;

/** Names of algorithms, encodings and hardware: letters and digits, and no secret. */
const TECHNICAL_NAME =
  /^(?:sha|md|aes|rsa|hmac|hs|rs|es|ps|argon|bcrypt|scrypt|pbkdf|base|utf|oauth|ed|x|v|int|uint|float|http|ipv)[-_]?\d+(?:[-_]\w+)?$/i;

/** `1:4.13+dfsg1-1+deb12u1`: packages are called `passwd`, too. */
const VERSION = /^(?:\d+:)?v?\d+(?:\.\d+)+(?:[-+~.]\w+)*$/;

/** Source code rather than a value: a call, an index, a member, an arrow, a pattern, an escape of bytes. */
const CODE =
  /\(\?[=!:<]|\\x[0-9a-f]{2}|[\w$]\(|\w\[|=>|^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$|^[!&*@]?[A-Z][A-Za-z]*::/;

/** Of those, the ones that people also have in a real password, and what they put beside them. */
const WORDS_IN_PASSWORDS =
  /test(?:ing|er)?|demo|default|admin|root|user|guest|secret|my|passw(?:[o0]rd)?|pass|pwd|example|sample|12345*6*|abc[de]*|xyz|qwe|20[0-3]\d/gi;

const LONG = 24;

/**
 * A value that shows where a secret goes, or names the place it is kept.
 *
 * @param random the value is taken for a machine's: a word in a long one may be there by chance
 */
export function isPlaceholder(value: string, random = false): boolean {
  if (STANDS_FOR_ANOTHER.test(value)) return true;
  if (new Set(value).size < 4) return true;
  return (random && value.length >= LONG ? EXAMPLE_WORDS_IN_LONG : EXAMPLE_WORDS).test(value);
}

/** Bits per character by the value's own letter frequencies (Shannon). */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Changes between lower case, upper case and digits; a capital at the head of a word does not count. */
function breaks(value: string): number {
  return value.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])/g)?.length ?? 0;
}

/** A token of an old Vault: the dot does not make it code. */
const VAULT = /^[sbr]\.(?=[A-Za-z0-9]{24,26}$)/;

const TWO_PARTS = /^[A-Za-z0-9_-]{12,64}(?:\.[A-Za-z0-9_-]{12,64}){1,2}$/;

/**
 * Made by a machine: hex, base32, base64, a UUID, from 12 characters on. Names in camel case, words with dashes,
 * versions, dates and numbers are not: their kinds of characters change too seldom.
 */
export function looksGenerated(text: string): boolean {
  const value = text.replace(VAULT, '');
  if (value.length < 12 || /\s/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^0x[0-9a-f]{40}$/i.test(value)) return false; // a blockchain address is public
  if (/^[a-z]{4,}\//.test(value)) return false;
  if (TWO_PARTS.test(value) && value.split('.').every(looksGenerated)) return true;
  if (CODE.test(value) || VERSION.test(value) || isPlaceholder(value, true)) return false;
  if (!/\d/.test(value)) return isRandomCase(value);
  return entropy(value) >= 2.8 && breaks(value) >= Math.max(3, value.length * 0.15);
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Mongo's and Git's short ids, and numbers that sort by time, are shorter or begin so. */
const SORTABLE_ID = /^0[0-9A-HJKMNP-TV-Z]{25}$/;
/** A file, a folder, or a dotted name. */
const PATH_OR_NAME =
  /\.[a-z]{2,5}$|=[^=]|\/[a-z]{4,}[-_.]|(?:^|\/)[a-z]{4,}(?:\/|$)|:\/\/|^[a-z]{4,}[-_.:][a-z]{4,}|[-_.:][a-z]{5,}[-_.:]/;
/** Public keys are told from each other by 40 digits, or by pairs. */
const FINGERPRINT = /^[0-9A-F]{40}$|^(?:[0-9A-Fa-f]{2}:){7}/;
/** `Linux-npm-<hash>`: what a cache is found by. */
const NAMED_HASH =
  /(?:^|[-_.])(?:[a-z]{3,}|[A-Z][a-z]{2,})[-_.](?:.*[-_.])?[0-9a-f]{16,}$|^v\d{1,2}[-_.].*[0-9a-f]{16,}$/;
/** What says of itself that it is a hash. */
const HASH = /^(?:sha\d{1,3}|md5|h1|xxh\d*|blake\w{1,4})[-:=]/i;

/**
 * A key, where its name promises less than a token's: longer than an id and more mixed than a name.
 *
 * @param uuids whether a UUID may be one: under the name of a vendor, not where any record has one
 */
export function looksLikeKey(value: string, uuids: boolean): boolean {
  if (value.length < 20 || value.length > 512 || !looksGenerated(value)) return false;
  if (UUID.test(value)) return uuids;
  if (HASH.test(value) || PATH_OR_NAME.test(value) || SORTABLE_ID.test(value)) return false;
  if (FINGERPRINT.test(value) || NAMED_HASH.test(value)) return false;
  if (!/\d/.test(value)) return isGibberish(value);
  if (/[a-z]/.test(value) && /[A-Z]/.test(value)) return !isMadeOfWords(value);
  return value.length >= (/^[0-9a-f]+$/i.test(value) ? 32 : 24);
}

/** `XF86AudioLowerVolume`: most of it is runs of small letters. */
function isMadeOfWords(value: string): boolean {
  let inWords = 0;
  for (const [word] of value.matchAll(/[A-Z]?[a-z]{3,}/g)) inWords += word.length;
  return inWords > value.length * 0.6;
}

/** Letters alone, lower and upper case as by a coin: in camel case a change is rarer. */
function isRandomCase(value: string, least = 20): boolean {
  if (value.length < least || !/^[A-Za-z]+$/.test(value)) return false;
  const changes = value.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return changes >= value.length * 0.42 && entropy(value) >= (least < 20 ? 3 : 3.5);
}

/**
 * Chosen by a person: at least 6 characters, letters with digits or symbols. A word on its own, also with a
 * capital, is prose (`password: required`) and stays.
 *
 * @param place `firm` where only a value can stand (quoted, after `KEY=`, in a URL); `loose` where prose and code
 *   stand as well: there it takes 8 characters, and more than a word with a number.
 */
export function looksChosen(value: string, place: 'firm' | 'loose'): boolean {
  if (value.length < (place === 'firm' ? 6 : 8) || value.length > 256 || /[\s\u0080-\uffff]/.test(value))
    return false;
  const digits = /\d/.test(value);
  const symbols = /[!@#%^&*+=?~$|]/.test(value);
  if (place === 'firm' && isRandomCase(value, 12)) return !isPlaceholder(value);
  if (isGibberish(value) && (place === 'firm' || /[a-z][A-Z]/.test(value))) return !isPlaceholder(value);
  if (!/[A-Za-z]/.test(value) || !(digits || (symbols && place === 'firm'))) return false;
  if (TECHNICAL_NAME.test(value) || CODE.test(value) || VERSION.test(value)) return false;
  if (isPlaceholder(value) && (STANDS_FOR_ANOTHER.test(value) || !isMoreThanItsWords(value))) return false;
  if (place === 'loose' && /^[A-Za-z]*[-_.]?\d{1,4}$|[()[\]{}"'`\\]/.test(value)) return false;
  if (/^[a-z]+(?:[-_.:/][a-z]+)*(?:[-_.:/]v?\d[\d.]*)*$/i.test(value) && !/^[A-Za-z]+\d+$/.test(value))
    return false;
  return entropy(value) * value.length >= 14;
}

/** `Admin#4821xK`: without the words there is still a password, and not only a number or a mark. */
function isMoreThanItsWords(value: string): boolean {
  const rest = value.replace(WORDS_IN_PASSWORDS, '');
  if (rest.length < 6 || EXAMPLE_WORDS.test(rest) || /[-_. ]{2}|^[-_.]?[A-Z]?[a-z]+[-_.]?\d*$/.test(rest))
    return false;
  return /[A-Za-z]/.test(rest) && /\d/.test(rest) && new Set(rest).size >= 5;
}

/** The pairs of letters that make up most of what people write in languages with Latin letters. */
const PAIRS = new Set(
  (
    'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ' +
    'ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi ' +
    'em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ' +
    'ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba ey ls va ' +
    'um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki rk ys ob mm fu ph og ms ye ud mb ip ub'
  ).split(' '),
);

/** Letters in an order that no language has: at least ten, most pairs of which are rare. */
function isGibberish(value: string): boolean {
  if (!/^[A-Za-z]{10,64}$/.test(value)) return false;
  const letters = value.toLowerCase();
  let common = 0;
  for (let at = 1; at < letters.length; at += 1) if (PAIRS.has(letters.slice(at - 1, at + 1))) common += 1;
  return common < (letters.length - 1) * 0.55 && new Set(letters).size >= 6;
}

/** `amber-river-canyon-otter`: four words or more, where only a password can stand. */
const PASSPHRASE = /^[a-z]{3,9}(?:([-_. ])[a-z]{3,9})(?:\1[a-z]{3,9}){2,5}$/i;

/** A regular expression or a template, which have as many symbols. */
const PATTERN = /\(\?|[aA0]-[zZ9]|\\[a-zA-Z]|\$\{|\{\{|\$\w+\[|%[A-Z]\{/;

/**
 * Letters, digits and symbols without any order, as Django and WordPress make them for keys and salts. Code looks
 * like that, too: to be asked about what stands in quotes or after `KEY=` only.
 */
export function looksScrambled(value: string): boolean {
  if (value.length < 32 || value.length > 128 || PATTERN.test(value)) return false;
  if (!/[a-z]/.test(value) || !/\d/.test(value) || /\s{2}|\s.{0,8}\s/.test(value)) return false;
  const symbols = new Set(value.replace(/[\w\s.,:;/-]/g, ''));
  return symbols.size >= 6 && entropy(value) >= 4;
}

/** Words where only a password can stand, and nothing says that they are an example. */
export function isPassphrase(value: string): boolean {
  return PASSPHRASE.test(value) && !isPlaceholder(value);
}

/** What stands where a password or a token does, and nothing else can. */
export function isChosenOrGenerated(secret: string): boolean {
  return looksGenerated(secret) || looksChosen(secret, 'firm') || isPassphrase(secret);
}

/** No word, path or code: letters and digits, mixed, or with capitals among them or a symbol. */
export function isStrong(value: string): boolean {
  if (/[()[\]{}<>/\\]/.test(value)) return looksGenerated(value);
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  const jumbled = breaks(value) >= Math.max(3, value.length * 0.25);
  return (
    looksGenerated(value) ||
    (isGibberish(value) && !isPlaceholder(value)) ||
    ((mixed || jumbled || /[!#%&*+$^~?]/.test(value)) && looksChosen(value, 'loose'))
  );
}
