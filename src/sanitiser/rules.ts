import type { Finding } from './findings.js';
import { isPlaceholder, looksChosen, looksGenerated } from './judge.js';
import { TOKEN_STARTS, tokenAt } from './tokens.js';
import { type Window, windowsAround } from './windows.js';

/** A secret that is known by its shape or by the word before it. */
interface Rule {
  kind: string;
  /** Global, with indices; the group `secret` is what is replaced, with `head` where it has one before it. No unbounded repetition after a bounded one. */
  pattern: RegExp;
  /** Each match contains one of these, which one pass looks for: the rule is asked about what is around them. */
  needs?: readonly string[];
  /** What it matches may be longer than any window: it is looked for in the whole text. */
  unbounded?: true;
  /** What else must hold of the secret; the groups are the pattern's. */
  accept?: (secret: string, groups: Record<string, string | undefined>) => boolean;
  /** See `Finding`. */
  general?: boolean;
}

/**
 * Our own rules: what secretlint's recommended preset misses, and what it reports with a range that is not the
 * secret. Prefixes are the ones the vendors publish for secret scanning.
 */
const RULES: readonly Rule[] = [
  {
    kind: 'jwt',
    unbounded: true,
    needs: ['eyJ'],
    pattern: /(?<![\w-])(?<secret>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})/dg,
  },
  {
    kind: 'jwe',
    unbounded: true,
    needs: ['eyJ'],
    pattern: /(?<![\w-])(?<secret>eyJ[\w-]{15,}\.[\w-]*\.[\w-]{10,}\.[\w-]{16,}\.[\w-]{16,})/dg,
  },
  {
    kind: 'github-token', // stateless installation tokens: a JWT after the application's number
    unbounded: true,
    needs: ['_eyJ'],
    pattern: /(?<![\w-])(?<secret>gh[a-z]_\d{1,20}_eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})/dg,
  },
  {
    kind: 'telegram-token',
    needs: [':AA'],
    pattern: /(?<![\w-])(?<secret>\d{8,10}:AA[\w-]{33})(?![\w-])/dg,
  },
  {
    kind: 'azure-secret', // an application's client secret
    needs: ['Q~'],
    pattern: /(?<![\w~.-])(?<secret>[\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/dg,
  },
  {
    kind: 'account-key',
    needs: ['AccountKey=', 'accountkey=', 'SharedAccess', 'sharedaccess'], // Azure storage and service bus connection strings
    pattern: /(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/dgi,
  },
  {
    kind: 'basic-auth',
    needs: ['Basic', 'basic', 'BASIC', 'auth', 'Auth', 'AUTH', '_auth', '_AUTH'], // also `"auth": "…"` of Docker and `_auth=` of npm
    pattern:
      /(?:\bBasic[ \t]{1,9}|\b_?auth["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?<secret>[A-Za-z0-9+/]{8,1024}={0,2})/dgi,
    accept: isBasicCredential,
    general: true,
  },
  {
    kind: 'bearer',
    needs: ['Bearer', 'bearer', 'BEARER'],
    pattern: /\bBearer[ \t]{1,9}(?<secret>[\w.~+/-]{16,4096}={0,2})/dgi,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'authorization',
    needs: ['Authorization', 'authorization', 'AUTHORIZATION'],
    pattern:
      /\bAuthorization\\{0,3}["']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})/dgi,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // scheme://user:password@host: the password alone
    pattern: /:\/\/(?<user>[^\s:/@"'`<>]{0,256}):(?<secret>[^\s/"'`<>?#]{3,256})@(?=[\w[%-])/dg,
    accept: (secret, { user }) => secret !== user && isUrlPassword(secret),
    general: true,
  },
  {
    kind: 'github-token', // a token in the place of the user's name
    needs: [':x-oauth-basic@'],
    pattern: /https?:\/\/(?<secret>[^\s:/@"'`<>$]{16,256}):x-oauth-basic@/dg,
  },
  {
    kind: 'url-token', // a token in the place of the user's name; also the key of a Sentry DSN
    pattern: /:\/\/(?<secret>[\w-]{20,256})(?=(?::[^\s/@"'`<>]{1,256})?@[\w[%-])/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'signature', // signed URLs of S3, Google and Azure
    needs: ['Signature=', 'sig=', 'Token='],
    pattern:
      /[?&;](?:X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature|Signature|sig)=(?<secret>[\w%+/~.-]{20,2048}=*)/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'token', // an authorization code in a URL
    needs: ['code='],
    pattern: /[?&](?:auth_?)?code=(?<secret>[\w%/.~-]{20,512})/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'webhook',
    needs: ['/api/webhooks/', '/IncomingWebhook/'],
    pattern: /(?:\/api\/webhooks\/\d{10,24}\/|\/IncomingWebhook\/)(?<secret>[\w-]{20,120})/dg,
  },
  {
    kind: 'discord-token',
    pattern: /(?<![\w.-])(?<secret>[MNO][A-Za-z0-9]{23,28}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/dg,
    accept: looksGenerated,
  },
  {
    kind: 'terraform-token',
    needs: ['.atlasv1.'],
    pattern: /(?<![\w-])(?<secret>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70})(?![\w-])/dg,
  },
  {
    kind: 'mailgun-key',
    pattern:
      /(?<secret>-[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])(?<=(?<![\w-])(?<head>[0-9a-f]{32})(?:-[0-9a-f]{8}){2})/dg,
  },
  {
    kind: 'fcm-key',
    needs: [':APA91b'],
    pattern: /(?<![\w-])(?<secret>[\w-]{11}:APA91b[\w-]{120,160})(?![\w-])/dg,
  },
  {
    kind: 'password-hash', // crypt(3), htpasswd, argon2, Django
    needs: [
      '$apr1$',
      '$1$',
      '$2a$',
      '$2b$',
      '$2y$',
      '$2x$',
      '$5$',
      '$6$',
      '$7$',
      '$y$',
      '$argon2',
      'pbkdf2',
      'scrypt$',
    ],
    pattern:
      /(?<![\w$])(?<secret>(?:\$(?:apr1|1|5|6|7|y|2[abxy])\$|\$argon2(?:id|i|d)\$|\$?pbkdf2[_-]sha\d{1,3}\$|\$?scrypt\$)[\w./+,=$-]{22,400})/dg,
  },
  {
    kind: 'private-key', // PuTTY
    unbounded: true,
    needs: ['Private-Lines:'],
    pattern: /Private-Lines: \d{1,4}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|$)){1,400})/dg,
  },
  {
    kind: 'password', // $PGPASSFILE: host:port:database:user:password
    pattern:
      /:(?:\d{2,5}|\*):(?<=^[\w.*-]{1,128}:(?:\d{2,5}|\*):)[\w*-]{1,64}:[\w.*-]{1,64}:(?<secret>[^\s:]{6,128})$/dgm,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'cookie', // a file of cookies as curl writes it
    needs: ['\tTRUE\t', '\tFALSE\t'],
    pattern: /\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,64}\t(?<secret>[^\s]{12,4096})/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // "the password is …", "user x and password …", .netrc
    pattern:
      /\b(?:pass(?:word|phrase|code)|passwd)[ \t]{1,4}(?:(?:is|was|to|of|as|now|=)[ \t]{1,4}){0,2}["'`]?(?<secret>[^\s"'`]{7,127}[^\s"'`,.;:?)])/dgi,
    accept: isStrong,
    general: true,
  },
  {
    kind: 'token', // "use token …", "aws_secret_access_key …", "vault login …"
    pattern:
      /(?:token|secret|api[ _-]?key|_key|vault login)[ \t]{1,4}(?:(?:is|was|to|now)[ \t]{1,4}){0,2}["'`]?(?<secret>[\w+/.=~-]{20,512})/dgi,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['mysql', 'mariadb'],
    pattern:
      /\b(?:mysql|mariadb)[\w-]{0,16}[ \t][^\n|;]{0,200}?(?<=[ \t])-p["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['sshpass'],
    pattern: /sshpass[ \t]{1,4}-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['redis-cli'],
    pattern: /redis-cli[ \t][^\n|;]{0,120}?(?<=[ \t])-a[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['login -'],
    pattern: /login[ \t][^\n|;]{0,120}?(?<=[ \t])-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['zip -'],
    pattern: /zip[ \t][^\n|;]{0,60}?(?<=[ \t])-[a-z]{0,4}P[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    needs: ['htpasswd -'],
    pattern:
      /htpasswd[ \t]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,64}[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // curl -u user:password
    needs: ['curl ', 'http '],
    pattern:
      /\b(?:curl|http)[ \t][^\n|;]{0,400}?(?:(?<=[ \t])-u|--user|--proxy-user|(?<=[ \t])-a)[ \t=]{0,4}["']?[^\s:"']{1,128}:(?<secret>[^\s"']{5,256})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // openssl
    needs: ['pass:'],
    pattern: /-pass(?:in|out)?[ \t]{1,4}["']?pass:(?<secret>[^\s"']{6,256})/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // echo … | docker login --password-stdin
    needs: ['--password-stdin'],
    pattern:
      /\b(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4})?["']?(?<secret>[^\s"'|]{6,256})["']?[ \t]{0,4}\|[^\n|]{0,200}--password-stdin/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // requests.get(url, auth=("user", "password"))
    needs: ['auth='],
    pattern: /\bauth=\(["'][^"'\n]{1,64}["'],[ \t]{0,4}["'](?<secret>[^"'\n]{6,128})["']\)/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'secret', // WordPress: define('AUTH_KEY', '…')
    needs: ['define('],
    pattern:
      /\bdefine\([ \t]{0,4}["'][A-Z_]{0,40}(?:KEY|SALT|PASSWORD|SECRET|TOKEN)["'],[ \t]{0,8}["'](?<secret>[^'"\n]{8,256})["']/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'secret', // Terraform: variable "db_password" { default = "…" }
    needs: ['variable "'],
    pattern:
      /\bvariable "[\w-]{0,64}(?:password|secret|token|key)[\w-]{0,16}" ?\{[^{}]{0,400}?\bdefault[ \t]{0,16}=[ \t]{0,4}"(?<secret>[^"\n]{6,256})"/dg,
    accept: isChosenOrGenerated,
    general: true,
  },
];

/** All literals that are looked for, each with those of them that it begins with, the longest first. */
const LITERALS = [...new Set([...TOKEN_STARTS, ...RULES.flatMap(({ needs = [] }) => needs)])].sort(
  (a, b) => b.length - a.length || (a < b ? -1 : 1),
);
const WITHIN = new Map(LITERALS.map((all) => [all, LITERALS.filter((other) => all.startsWith(other))]));

/**
 * Where words begin, behind a digit or an underscore, and literals that begin no word: looking for them by
 * themselves takes half the time of looking for all of them everywhere.
 */
const WORDS = LITERALS.filter((literal) => /^\w/.test(literal));
const SIGNALS = [
  anyOf('\\b', WORDS),
  anyOf('(?<=[\\d_])', WORDS),
  anyOf(
    '',
    LITERALS.filter((literal) => /^\W/.test(literal)),
  ),
];

function anyOf(before: string, literals: readonly string[]): RegExp {
  const escaped = [...literals]
    .sort((a, b) => b.length - a.length)
    .map((literal) => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp(`${before}(?:${escaped.join('|')})`, 'g');
}

/** Every secret the table finds. */
export function findByRules(text: string): Finding[] {
  const found = findCookies(text);
  const seen = new Map<string, Window[]>();
  for (const signals of SIGNALS) {
    signals.lastIndex = 0;
    for (let signal = signals.exec(text); signal !== null; signal = signals.exec(text)) {
      const { 0: literal, index } = signal;
      const literals = WITHIN.get(literal) ?? [];
      for (const each of literals) note(seen, each, { start: index, end: index + each.length });
      const token = tokenAt(text, index, literals);
      if (token !== undefined) found.push(token);
      // Another literal may begin within this one.
      signals.lastIndex = token?.end ?? index + 1;
    }
  }
  for (const rule of RULES) {
    if (rule.needs === undefined) {
      found.push(...matchesOf(rule, text, 0));
      continue;
    }
    const places = rule.needs.flatMap((literal) => seen.get(literal) ?? []);
    if (places.length === 0) continue;
    if (rule.unbounded === true) {
      found.push(...matchesOf(rule, text, 0));
      continue;
    }
    places.sort((one, other) => one.start - other.start);
    for (const { start, end } of windowsAround(text, places, AROUND))
      found.push(...matchesOf(rule, text.slice(start, end), start));
  }
  return found;
}

/** Adds a place to those of a literal; neighbours become one, so that a crowd takes no room. */
function note(seen: Map<string, Window[]>, literal: string, place: Window): void {
  const places = seen.get(literal);
  const last = places?.at(-1);
  if (places === undefined) seen.set(literal, [place]);
  else if (last !== undefined && place.start >= last.start && place.start <= last.end + AROUND.near)
    last.end = Math.max(last.end, place.end);
  else places.push(place);
}

/** More than a rule that is not `unbounded` matches. */
const AROUND = { near: 4_608, reach: 16_384 };

function matchesOf(
  { kind, pattern, accept, general = false }: Rule,
  text: string,
  offset: number,
): Finding[] {
  const found: Finding[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const groups = match.indices?.groups;
    const [from, end] = groups?.secret ?? [0, 0];
    const start = groups?.head?.[0] ?? from;
    if (accept !== undefined && !accept(text.slice(start, end), match.groups ?? {})) continue;
    found.push({ start: start + offset, end: end + offset, kind, general });
  }
  return found;
}

const COOKIES = /\b(?:set-)?cookies?["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<pairs>[^\n"']{8,8192})/dgi;
const PAIR = /(?<=^|[;,][ \t]{0,4})[\w.%$-]{1,64}=(?<secret>[^;,\s"']{12,4096})/dg;

/** Cookies of a request or an answer with a value that a machine made: sessions mostly. */
function findCookies(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { indices } of text.matchAll(COOKIES)) {
    const [from, to] = indices?.groups?.pairs ?? [0, 0];
    for (const pair of text.slice(from, to).matchAll(PAIR)) {
      const [start, end] = pair.indices?.groups?.secret ?? [0, 0];
      const value = pair.groups?.secret ?? '';
      if (looksGenerated(value.replace(/%[0-9A-F]{2}/gi, '')))
        found.push({ start: from + start, end: from + end, kind: 'cookie', general: true });
    }
  }
  return found;
}

function isChosenOrGenerated(secret: string): boolean {
  return looksGenerated(secret) || looksChosen(secret, 'firm');
}

/** In a URL there is no code: a dot is a dot. */
function isUrlPassword(secret: string): boolean {
  if (isPlaceholder(secret)) return false;
  return looksChosen(secret, 'firm') || looksChosen(secret.replaceAll('.', '+'), 'firm');
}

/** No word, path or code: letters, digits, and capitals among them or a symbol. */
function isStrong(value: string): boolean {
  if (/[()[\]{}<>/\\]/.test(value)) return looksGenerated(value);
  const mixed = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return looksGenerated(value) || ((mixed || /[!#%&*+$^~?]/.test(value)) && looksChosen(value, 'loose'));
}

/** base64 of `user:password`, printable, with a password that is not a stand-in. */
function isBasicCredential(value: string): boolean {
  if (value.replace(/=+$/, '').length % 4 === 1) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  const colon = decoded.indexOf(':');
  if (colon < 0 || !/^[\x20-\x7e]+$/.test(decoded)) return false;
  const password = decoded.slice(colon + 1);
  return password.length >= 4 && !isPlaceholder(password);
}
