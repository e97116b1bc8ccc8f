import { BARE_KEYS } from './blocks.js';
import { CALLS } from './calls.js';
import { COMMANDS } from './commands.js';
import { exactly, type Finder } from './finder.js';
import type { Finding } from './findings.js';
import { JWT, WRAPPED_JWT } from './jwt.js';
import { findBy, finderOf, type Rule } from './rule.js';
import {
  isChosenOrGenerated,
  isPassphrase,
  isPlaceholder,
  looksChosen,
  looksGenerated,
  looksLikeKey,
} from './secret-heuristics.js';
import { SPOKEN } from './spoken.js';

/**
 * Our own rules: what secretlint's recommended preset misses, and what it reports with a range that is not the
 * secret. Prefixes are the ones the vendors publish for secret scanning.
 */
const RULES: readonly Rule[] = [
  JWT,
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
    pattern: /(?<=(?:(?<![\w-])|(?<=\/bot))(?<head>\d{8,10}))(?<secret>:AA[\w-]{33})(?![\w-])/dy,
  },
  {
    kind: 'azure-secret', // an application's client secret
    anchors: ['Q~'],
    pattern: /(?<=(?<![\w~.-])(?<head>[\w~.-]{3}\d))(?<secret>Q~[\w~.-]{31,34})(?![\w~.-])/dy,
  },
  {
    kind: 'account-key',
    anchors: ['accountkey=', 'sharedaccesskey=', 'sharedaccesssignature='], // Azure storage, service bus
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
    pattern: /\bBearer(?:["']?:)?[ \t]{1,9}["']?(?<secret>[\w.~+/-]{12,4096}={0,2})/diy,
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
    kind: 'signature', // signed URLs of S3, Google and Azure
    anchors: ['X-Amz-Signature=', 'X-Amz-Security-Token=', 'X-Goog-Signature=', 'Signature=', 'sig='],
    pattern:
      /(?<=[?&;])(?:X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature|Signature|sig)=(?<secret>[\w%+/~.-]{20,2048}=*)/dy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'token', // an authorization code or a session in a URL
    anchors: ['code=', 'key=', 'auth=', 'sid=', 'appid=', 'ticket=', 'sessionid='],
    pattern:
      /(?<=[?&;](?:auth_?|php|js|j|app_?|access_?|oauth_?)?)(?:code|key|auth|sid|appid|ticket|sessionid)=(?<secret>[\w%/.~+-]{20,1024}={0,2})/diy,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'facebook-token', // the application's number and its secret
    anchors: ['access_token='],
    pattern: /access_token=(?<secret>\d{13,17}(?:\||%7C)[\w-]{20,40})/dy,
  },
  {
    kind: 'webhook',
    anchors: ['/api/webhooks/', '/IncomingWebhook/', '/JenkinsCI/', 'hooks.slack.com/'],
    pattern:
      /(?:\/api\/webhooks\/\d{10,24}\/|(?<=webhookb?2?\/[\w-]{36}@[\w-]{36})\/(?:IncomingWebhook|JenkinsCI)\/|hooks\.slack\.com\/(?:workflows|triggers)\/)(?<secret>[\w-]{20,120}(?:\/[\w-]{16,120}){0,3}|[A-Z]\w{6,20}(?:\/\w{6,64}){2,3})/dy,
  },
  {
    kind: 'mailchimp-key',
    anchors: ['-us1', '-us2', '-us3', '-us4', '-us5', '-us6', '-us7', '-us8', '-us9'],
    pattern: /(?<=(?<![\w-])(?<head>[0-9a-f]{32}))(?<secret>-us\d{1,2})(?![\w-])/dy,
  },
  {
    kind: 'maxmind-key',
    anchors: ['_mmk'],
    pattern: /(?<=(?<![\w-])(?<head>[A-Za-z0-9]{6}_[A-Za-z0-9]{29}))(?<secret>_mmk)(?![\w-])/dy,
  },
  {
    kind: 'azure-key', // the keys of Azure that name themselves
    anchors: ['JQQJ99'],
    pattern: /(?<=(?<![A-Za-z0-9])(?<head>[A-Za-z0-9]{52}))(?<secret>JQQJ99[A-Za-z0-9]{26})(?![A-Za-z0-9])/dy,
  },
  {
    kind: 'azure-token',
    anchors: ['AZDO'],
    pattern:
      /(?<=(?<![A-Za-z0-9])(?<head>[A-Za-z0-9]{70,80}))(?<secret>AZDO[A-Za-z0-9]{4,5})(?![A-Za-z0-9])/dy,
  },
  {
    kind: 'azure-key', // of a container registry
    anchors: ['+ACR'],
    pattern:
      /(?<=(?<![A-Za-z0-9+/])(?<head>[A-Za-z0-9+/]{42}))(?<secret>\+ACR[A-Za-z0-9]{6})(?![A-Za-z0-9+/])/dy,
  },
  {
    kind: 'jwt', // encoded once more
    anchors: ['ZXlK'],
    pattern: /(?<![\w-])(?<secret>ZXlKaGJHY2lPaU[\w+/-]{40,8192}={0,2})/dy,
  },
  {
    kind: 'discord-token',
    pattern: /(?<![\w.-])(?<secret>[MNO][A-Za-z0-9]{23,28}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/dg,
    accept: (secret) => looksGenerated(secret.replaceAll('.', '')),
  },
  {
    kind: 'terraform-token',
    anchors: ['.atlasv1.'],
    pattern: /(?<=(?<![\w-])(?<head>[A-Za-z0-9]{14}))(?<secret>\.atlasv1\.[\w-]{60,70})(?![\w-])/dy,
    accept: (secret) => !isPlaceholder(secret, true),
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
    anchors: [
      '$apr1$',
      '$1$',
      '$2a$',
      '$2b$',
      '$2y$',
      '$2x$',
      '$5$',
      '$6$',
      '$7$',
      '$8$',
      '$9$',
      '$y$',
      '$argon2',
    ],
    pattern:
      /(?<![\w$])(?<secret>(?:\$(?:apr1|[156789]|y|2[abxy])\$|\$argon2(?:id|i|d)\$)[\w./+,=$-]{22,400})/dy,
  },
  {
    kind: 'password-hash',
    anchors: ['pbkdf2', 'scrypt$'],
    pattern: /(?<=(?<![\w$])(?<head>\$?))(?<secret>(?:pbkdf2[_-]sha\d{1,3}\$|scrypt\$)[\w./+,=$-]{22,400})/dy,
  },
  {
    kind: 'password', // Go's DSN: app:…@tcp(db:3306)/shop
    anchors: ['@tcp(', '@unix(', '@tcp4(', '@tcp6('],
    pattern: /(?<=(?<![\w.-])(?<user>[\w.-]{1,64}):(?<head>[^\s:@/"'`<>]{4,128}))(?<secret>)@/dy,
    accept: (secret, { user }) => secret !== user && isUrlPassword(secret),
    general: true,
  },
  {
    kind: 'asana-token',
    anchors: ['1/', '2/'],
    pattern: /(?<![\w/.-])(?<secret>[12]\/\d{13,20}(?:\/\d{13,20})?:[0-9a-f]{32})(?![\w-])/dy,
  },
  {
    kind: 'api-key', // any service's: shop_live_…, shop_sk_…, shop-secret-…
    anchors: ['live', 'test', 'prod', 'sandbox', 'sk', 'pat', 'secret', 'token', 'key'].flatMap((mark) => [
      `_${mark}_`,
      `-${mark}-`,
    ]),
    pattern:
      /(?<=(?<![A-Za-z0-9])(?<head>[a-z][a-z0-9]{1,11}))(?<secret>[_-][a-z]{2,7}[_-](?<rest>(?:[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f]{4}-)[\w.-]{0,200}))(?<=\w)(?![\w-])/dy,
    accept: (secret, { rest = '' }) => !/^p(?:k|ub)/.test(secret) && looksLikeKey(rest, true),
    general: true,
  },
  {
    kind: 'unleash-token',
    anchors: [':development.', ':production.', ':default.', '*.'],
    pattern:
      /(?<=(?<![\w-])(?<head>[\w*-]{1,40}))(?<secret>:(?:development|production|default)\.[0-9a-f]{40,80})(?![\w-])/dy,
  },
  {
    kind: 'convex-key',
    anchors: ['prod:', 'preview:', 'dev:'],
    pattern: /(?<![\w-])(?<secret>(?:prod|preview|dev):[a-z]+-[a-z]+-\d{1,4}\|[\w+/=-]{30,200})/dy,
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
  ...SPOKEN,
  {
    kind: 'token', // "use token …", "aws_secret_access_key …", "vault login …"
    anchors: ['token', 'secret', 'apikey', 'api key', 'api_key', 'api-key', '_key', 'vault login'],
    pattern:
      /(?:token|secret|api[ _-]?key|_key|vault login)[ \t]{1,4}(?:(?:is|was|to|now)[ \t]{1,4}){0,2}["'`]?(?<secret>[\w+/.=~-]{20,512})/diy,
    accept: looksGenerated,
    general: true,
  },
];

/** What stands before the host of an address. */
const ADDRESS_RULES: readonly Rule[] = [
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
];

const ALL = [...RULES, ...COMMANDS, ...CALLS];
const SHAPES = ALL.filter(({ anchors }) => anchors === undefined);

const IN_ADDRESSES = ADDRESS_RULES.flatMap((rule) => finderOf(rule) ?? []);
const ADDRESS_WITH_USER = /:\/\/[^\s/@"'`<>?#]{1,512}@/y;

/** Most addresses have no user, and no rule need look at them. */
const ADDRESSES: Finder = {
  anchors: exactly(['://']),
  at: (text, place, anchor) => {
    ADDRESS_WITH_USER.lastIndex = place;
    if (!ADDRESS_WITH_USER.test(text)) return undefined;
    const answers = IN_ADDRESSES.flatMap((finder) => finder.at(text, place, anchor) ?? []);
    return {
      findings: answers.flatMap(({ findings }) => findings),
      next: Math.max(ADDRESS_WITH_USER.lastIndex, ...answers.map(({ next }) => next)),
    };
  },
};

/** The rules that ask where their anchors stand. */
export const ANCHORED: readonly Finder[] = [
  ADDRESSES,
  WRAPPED_JWT,
  BARE_KEYS,
  ...ALL.flatMap((rule) => finderOf(rule) ?? []),
];

/** What the rules without an anchor find. */
export function findShapes(text: string): Finding[] {
  return SHAPES.flatMap((rule) => findBy(rule, text));
}

/** In a URL there is no code: a dot is a dot. */
function isUrlPassword(secret: string): boolean {
  if (looksChosen(secret, 'firm') || looksChosen(secret.replaceAll('.', '+'), 'firm')) return true;
  return !isPlaceholder(secret) && (isPassphrase(secret) || /^[a-z]{8,64}$/i.test(secret));
}

/** base64 of `user:password`, printable, with a password that is not a stand-in. */
function isBasicCredential(value: string): boolean {
  if (value.replace(/=+$/, '').length % 4 === 1) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  const colon = decoded.indexOf(':');
  if (colon < 0 || !/^[\x20-\x7e]+$/.test(decoded)) return false;
  const password = decoded.slice(colon + 1);
  return password.length >= 4 && !isPlaceholder(password, true);
}
