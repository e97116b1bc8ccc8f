import { exactly, type Finder, inAnyCase } from './finder.js';
import type { Finding } from './findings.js';
import { isPlaceholder, looksChosen, looksGenerated } from './judge.js';

/** A secret that is known by its shape or by the word before it. */
interface Rule {
  kind: string;
  /**
   * Each match begins with one of these; in any case when the pattern has the flag `i`, in lower case here. What lies
   * before is looked back at. Without them, the pattern looks through the text by itself.
   */
  anchors?: readonly string[];
  /**
   * With indices; sticky, or global without anchors. The group `secret` is what is replaced, with `head` where it
   * has one before it. No unbounded repetition after a bounded one.
   */
  pattern: RegExp;
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
    anchors: ['eyJ'],
    pattern: /(?<![\w-])(?<secret>eyJ[\w-]{10}[\w-]*\.eyJ[\w-]{10}[\w-]*\.[\w-]{10}[\w-]*)/dy,
  },
  {
    kind: 'jwe',
    anchors: ['eyJ'],
    pattern:
      /(?<![\w-])(?<secret>eyJ[\w-]{15}[\w-]*\.[\w-]*\.[\w-]{10}[\w-]*\.[\w-]{16}[\w-]*\.[\w-]{16}[\w-]*)/dy,
  },
  {
    kind: 'github-token', // stateless installation tokens: a JWT after the application's number
    anchors: ['_eyJ'],
    pattern:
      /(?<=(?<![\w-])(?<head>gh[a-z]_\d{1,20}))(?<secret>_eyJ[\w-]{10}[\w-]*\.[\w-]{10}[\w-]*\.[\w-]{10}[\w-]*)/dy,
  },
  {
    kind: 'telegram-token',
    anchors: [':AA'],
    pattern: /(?<=(?<![\w-])(?<head>\d{8,10}))(?<secret>:AA[\w-]{33})(?![\w-])/dy,
  },
  {
    kind: 'azure-secret', // an application's client secret
    anchors: ['Q~'],
    pattern: /(?<=(?<![\w~.-])(?<head>[\w~.-]{3}\d))(?<secret>Q~[\w~.-]{31,34})(?![\w~.-])/dy,
  },
  {
    kind: 'account-key',
    anchors: ['accountkey=', 'sharedaccesskey=', 'sharedaccesssignature='], // Azure storage and service bus connection strings
    pattern: /(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/diy,
  },
  {
    kind: 'basic-auth',
    anchors: ['basic', 'auth'], // also `"auth": "…"` of Docker and `_auth=` of npm
    pattern:
      /(?:\bBasic[ \t]{1,9}|(?<=\b_?)auth["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?<secret>[A-Za-z0-9+/]{8,1024}={0,2})/diy,
    accept: isBasicCredential,
    general: true,
  },
  {
    kind: 'bearer',
    anchors: ['bearer'],
    pattern: /\bBearer[ \t]{1,9}(?<secret>[\w.~+/-]{16,4096}={0,2})/diy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'authorization',
    anchors: ['authorization'],
    pattern:
      /\bAuthorization\\{0,3}["']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})/diy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // scheme://user:password@host: the password alone
    anchors: ['://'],
    pattern: /:\/\/(?<user>[^\s:/@"'`<>]{0,256}):(?<secret>[^\s/"'`<>?#]{3,256})@(?=[\w[%-])/dy,
    accept: (secret, { user }) => secret !== user && isUrlPassword(secret),
    general: true,
  },
  {
    kind: 'github-token', // a token in the place of the user's name
    anchors: ['://'],
    pattern: /(?<=https?):\/\/(?<secret>[^\s:/@"'`<>$]{16,256}):x-oauth-basic@/dy,
  },
  {
    kind: 'url-token', // a token in the place of the user's name; also the key of a Sentry DSN
    anchors: ['://'],
    pattern: /:\/\/(?<secret>[\w-]{20,256})(?=(?::[^\s/@"'`<>]{1,256})?@[\w[%-])/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'signature', // signed URLs of S3, Google and Azure
    anchors: ['X-Amz-Signature=', 'X-Amz-Security-Token=', 'X-Goog-Signature=', 'Signature=', 'sig='],
    pattern:
      /(?<=[?&;])(?:X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature|Signature|sig)=(?<secret>[\w%+/~.-]{20,2048}=*)/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'token', // an authorization code in a URL
    anchors: ['code='],
    pattern: /(?<=[?&](?:auth_?)?)code=(?<secret>[\w%/.~-]{20,512})/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'webhook',
    anchors: ['/api/webhooks/', '/IncomingWebhook/'],
    pattern: /(?:\/api\/webhooks\/\d{10,24}\/|\/IncomingWebhook\/)(?<secret>[\w-]{20,120})/dy,
  },
  {
    kind: 'discord-token',
    pattern: /(?<![\w.-])(?<secret>[MNO][A-Za-z0-9]{23,28}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/dg,
    accept: looksGenerated,
  },
  {
    kind: 'terraform-token',
    anchors: ['.atlasv1.'],
    pattern: /(?<=(?<![\w-])(?<head>[A-Za-z0-9]{14}))(?<secret>\.atlasv1\.[\w-]{60,70})(?![\w-])/dy,
  },
  {
    kind: 'mailgun-key',
    pattern:
      /(?<secret>-[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])(?<=(?<![\w-])(?<head>[0-9a-f]{32})(?:-[0-9a-f]{8}){2})/dg,
  },
  {
    kind: 'fcm-key',
    anchors: [':APA91b'],
    pattern: /(?<=(?<![\w-])(?<head>[\w-]{11}))(?<secret>:APA91b[\w-]{120,160})(?![\w-])/dy,
  },
  {
    kind: 'password-hash', // crypt(3), htpasswd, argon2, Django
    anchors: ['$apr1$', '$1$', '$2a$', '$2b$', '$2y$', '$2x$', '$5$', '$6$', '$7$', '$y$', '$argon2'],
    pattern:
      /(?<![\w$])(?<secret>(?:\$(?:apr1|1|5|6|7|y|2[abxy])\$|\$argon2(?:id|i|d)\$)[\w./+,=$-]{22,400})/dy,
  },
  {
    kind: 'password-hash',
    anchors: ['pbkdf2', 'scrypt$'],
    pattern: /(?<=(?<![\w$])(?<head>\$?))(?<secret>(?:pbkdf2[_-]sha\d{1,3}\$|scrypt\$)[\w./+,=$-]{22,400})/dy,
  },
  {
    kind: 'private-key', // PuTTY
    anchors: ['Private-Lines:'],
    pattern: /Private-Lines: \d{1,4}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|$)){1,400})/dy,
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
    anchors: ['\tTRUE\t', '\tFALSE\t'],
    pattern: /\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,64}\t(?<secret>[^\s]{12,4096})/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // "the password is …", "user x and password …", .netrc
    anchors: ['passw', 'passp', 'passc'],
    pattern:
      /\b(?:pass(?:word|phrase|code)|passwd)[ \t]{1,4}(?:(?:is|was|to|of|as|now|=)[ \t]{1,4}){0,2}["'`]?(?<secret>[^\s"'`]{7,127}[^\s"'`,.;:?)])/diy,
    accept: isStrong,
    general: true,
  },
  {
    kind: 'token', // "use token …", "aws_secret_access_key …", "vault login …"
    anchors: ['token', 'secret', 'apikey', 'api key', 'api_key', 'api-key', '_key', 'vault login'],
    pattern:
      /(?:token|secret|api[ _-]?key|_key|vault login)[ \t]{1,4}(?:(?:is|was|to|now)[ \t]{1,4}){0,2}["'`]?(?<secret>[\w+/.=~-]{20,512})/diy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['mysql', 'mariadb'],
    pattern:
      /\b(?:mysql|mariadb)[\w-]{0,16}[ \t][^\n|;]{0,200}?(?<=[ \t])-p["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['sshpass'],
    pattern: /sshpass[ \t]{1,4}-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['redis-cli'],
    pattern: /redis-cli[ \t][^\n|;]{0,120}?(?<=[ \t])-a[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['login -'],
    pattern: /login[ \t][^\n|;]{0,120}?(?<=[ \t])-p[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['zip -'],
    pattern: /zip[ \t][^\n|;]{0,60}?(?<=[ \t])-[a-z]{0,4}P[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password',
    anchors: ['htpasswd -'],
    pattern:
      /htpasswd[ \t]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}\S{1,64}[ \t]{0,4}["']?(?<secret>[^\s"'<>]{6,128})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // curl -u user:password
    anchors: ['curl ', 'http '],
    pattern:
      /\b(?:curl|http)[ \t][^\n|;]{0,400}?(?:(?<=[ \t])-u|--user|--proxy-user|(?<=[ \t])-a)[ \t=]{0,4}["']?[^\s:"']{1,128}:(?<secret>[^\s"']{5,256})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // openssl
    anchors: ['pass:'],
    pattern: /(?<=-pass(?:in|out)?[ \t]{1,4}["']?)pass:(?<secret>[^\s"']{6,256})/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // echo … | docker login --password-stdin
    anchors: ['echo ', 'printf '],
    pattern:
      /\b(?:echo|printf)[ \t]{1,4}(?:-n[ \t]{1,4})?["']?(?<secret>[^\s"'|]{6,256})["']?[ \t]{0,4}\|[^\n|]{0,200}--password-stdin/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'password', // requests.get(url, auth=("user", "password"))
    anchors: ['auth='],
    pattern: /\bauth=\(["'][^"'\n]{1,64}["'],[ \t]{0,4}["'](?<secret>[^"'\n]{6,128})["']\)/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'secret', // WordPress: define('AUTH_KEY', '…')
    anchors: ['define('],
    pattern:
      /\bdefine\([ \t]{0,4}["'][A-Z_]{0,40}(?:KEY|SALT|PASSWORD|SECRET|TOKEN)["'],[ \t]{0,8}["'](?<secret>[^'"\n]{8,256})["']/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
  {
    kind: 'secret', // Terraform: variable "db_password" { default = "…" }
    anchors: ['variable "'],
    pattern:
      /\bvariable "[\w-]{0,64}(?:password|secret|token|key)[\w-]{0,16}" ?\{[^{}]{0,400}?\bdefault[ \t]{0,16}=[ \t]{0,4}"(?<secret>[^"\n]{6,256})"/dy,
    accept: isChosenOrGenerated,
    general: true,
  },
];

/** The rules that ask where their anchors stand. */
export const ANCHORED: readonly Finder[] = RULES.flatMap((rule) => {
  const { anchors, pattern } = rule;
  if (anchors === undefined) return [];
  const at: Finder['at'] = (text, place) => {
    pattern.lastIndex = place;
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const finding = accepted(rule, text, match);
    return { findings: finding === undefined ? [] : [finding], next: pattern.lastIndex };
  };
  return [{ anchors: pattern.ignoreCase ? inAnyCase(anchors) : exactly(anchors), at }];
});

/** What the rules without an anchor find. */
export function findShapes(text: string): Finding[] {
  return RULES.filter(({ anchors }) => anchors === undefined).flatMap((rule) =>
    Array.from(text.matchAll(rule.pattern), (match) => accepted(rule, text, match) ?? []).flat(),
  );
}

function accepted(
  { kind, accept, general = false }: Rule,
  text: string,
  match: RegExpExecArray,
): Finding | undefined {
  const groups = match.indices?.groups;
  const [from, end] = groups?.secret ?? [0, 0];
  const start = groups?.head?.[0] ?? from;
  if (accept?.(text.slice(start, end), match.groups ?? {}) === false) return undefined;
  return { start, end, kind, general };
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
