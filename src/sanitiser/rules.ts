import { BARE_KEYS } from './blocks.js';
import { CALLS } from './calls.js';
import { COMMANDS } from './commands.js';
import { exactly, type Finder, matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { JWT, WRAPPED_JWT } from './jwt.js';
import { byPlace, byShape, findBy, finderOf, type Rule } from './rule.js';
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
 * Our own rules, for secrets that secretlint's recommended preset misses or reports with a wrong range. Prefixes are the
 * ones that vendors publish for secret scanning.
 */
const RULES: readonly Rule[] = [
  JWT,
  byShape(
    'jwe',
    'eyJ',
    /(?<![\w-])(?<secret>eyJ[\w-]{15}[\w-]*\.[\w-]*\.[\w-]{10}[\w-]*\.[\w-]{16}[\w-]*\.[\w-]{16}[\w-]*)/dy,
  ),
  // stateless installation tokens: a JWT after the application's number
  byShape(
    'github-token',
    '_eyJ',
    /(?<=(?<![\w-])(?<head>gh[a-z]_\d{1,20}))(?<secret>_eyJ[\w-]{10}[\w-]*\.[\w-]{10}[\w-]*\.[\w-]{10}[\w-]*)/dy,
  ),
  byShape(
    'telegram-token',
    ':AA',
    /(?<=(?:(?<![\w-])|(?<=\/bot))(?<head>\d{8,10}))(?<secret>:AA[\w-]{33})(?![\w-])/dy,
  ),
  // an application's client secret
  byShape(
    'azure-secret',
    'Q~',
    /(?<=(?<![\w~.-])(?<head>[\w~.-]{3}\d))(?<secret>Q~[\w~.-]{31,34})(?![\w~.-])/dy,
  ),
  // Azure storage, service bus
  byShape(
    'account-key',
    ['accountkey=', 'sharedaccesskey=', 'sharedaccesssignature='],
    /(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/diy,
  ),
  // also `"auth": "…"` of Docker and `_auth=` of npm
  byPlace(
    'basic-auth',
    ['basic', 'auth'],
    /(?:\bBasic[ \t]{1,9}|(?<=\b_?)auth["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?<secret>[A-Za-z0-9+/]{8,1024}={0,2})/diy,
    isBasicCredential,
  ),
  byPlace(
    'bearer',
    'bearer',
    /\bBearer(?:["']?:)?[ \t]{1,9}["']?(?<secret>[\w.~+/-]{12,4096}={0,2})/diy,
    looksGenerated,
  ),
  byPlace(
    'authorization',
    'authorization',
    /\bAuthorization\\{0,3}["']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})/diy,
    looksGenerated,
  ),
  // signed URLs of S3, Google and Azure
  byPlace(
    'signature',
    ['X-Amz-Signature=', 'X-Amz-Security-Token=', 'X-Goog-Signature=', 'Signature=', 'sig='],
    /(?<=[?&;])(?:X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature|Signature|sig)=(?<secret>[\w%+/~.-]{20,2048}=*)/dy,
    looksGenerated,
  ),
  // an authorization code or a session in a URL
  byPlace(
    'token',
    ['code=', 'key=', 'auth=', 'sid=', 'appid=', 'ticket=', 'sessionid='],
    /(?<=[?&;](?:auth_?|php|js|j|app_?|access_?|oauth_?)?)(?:code|key|auth|sid|appid|ticket|sessionid)=(?<secret>[\w%/.~+-]{20,1024}={0,2})/diy,
    looksGenerated,
  ),
  // the application's number and its secret
  byShape('facebook-token', 'access_token=', /access_token=(?<secret>\d{13,17}(?:\||%7C)[\w-]{20,40})/dy),
  byShape(
    'webhook',
    ['/api/webhooks/', '/IncomingWebhook/', '/JenkinsCI/', 'hooks.slack.com/'],
    /(?:\/api\/webhooks\/\d{10,24}\/|(?<=webhookb?2?\/[\w-]{36}@[\w-]{36})\/(?:IncomingWebhook|JenkinsCI)\/|hooks\.slack\.com\/(?:workflows|triggers)\/)(?<secret>[\w-]{20,120}(?:\/[\w-]{16,120}){0,3}|[A-Z]\w{6,20}(?:\/\w{6,64}){2,3})/dy,
  ),
  byShape(
    'mailchimp-key',
    ['-us1', '-us2', '-us3', '-us4', '-us5', '-us6', '-us7', '-us8', '-us9'],
    /(?<=(?<![\w-])(?<head>[0-9a-f]{32}))(?<secret>-us\d{1,2})(?![\w-])/dy,
  ),
  byShape(
    'maxmind-key',
    '_mmk',
    /(?<=(?<![\w-])(?<head>[A-Za-z0-9]{6}_[A-Za-z0-9]{29}))(?<secret>_mmk)(?![\w-])/dy,
  ),
  // the keys of Azure that name themselves
  byShape(
    'azure-key',
    'JQQJ99',
    /(?<=(?<![A-Za-z0-9])(?<head>[A-Za-z0-9]{52}))(?<secret>JQQJ99[A-Za-z0-9]{26})(?![A-Za-z0-9])/dy,
  ),
  byShape(
    'azure-token',
    'AZDO',
    /(?<=(?<![A-Za-z0-9])(?<head>[A-Za-z0-9]{70,80}))(?<secret>AZDO[A-Za-z0-9]{4,5})(?![A-Za-z0-9])/dy,
  ),
  // of a container registry
  byShape(
    'azure-key',
    '+ACR',
    /(?<=(?<![A-Za-z0-9+/])(?<head>[A-Za-z0-9+/]{42}))(?<secret>\+ACR[A-Za-z0-9]{6})(?![A-Za-z0-9+/])/dy,
  ),
  // encoded once more
  byShape('jwt', 'ZXlK', /(?<![\w-])(?<secret>ZXlKaGJHY2lPaU[\w+/-]{40,8192}={0,2})/dy),
  byShape(
    'discord-token',
    null,
    /(?<![\w.-])(?<secret>[MNO][A-Za-z0-9]{23,28}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/dg,
    (secret) => looksGenerated(secret.replaceAll('.', '')),
  ),
  byShape(
    'terraform-token',
    '.atlasv1.',
    /(?<=(?<![\w-])(?<head>[A-Za-z0-9]{14}))(?<secret>\.atlasv1\.[\w-]{60,70})(?![\w-])/dy,
    (secret) => !isPlaceholder(secret, true),
  ),
  byShape(
    'mailgun-key',
    null,
    /(?<secret>-[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])(?<=(?<![\w-])(?<head>[0-9a-f]{32})(?:-[0-9a-f]{8}){2})/dg,
  ),
  byShape(
    'fcm-key',
    ':APA91b',
    /(?<=(?<![\w-])(?<head>[\w-]{11}))(?<secret>:APA91b[\w-]{120,160})(?![\w-])/dy,
  ),
  // crypt(3), htpasswd, argon2, Django
  byShape(
    'password-hash',
    ['$apr1$', '$1$', '$2a$', '$2b$', '$2y$', '$2x$', '$5$', '$6$', '$7$', '$8$', '$9$', '$y$', '$argon2'],
    /(?<![\w$])(?<secret>(?:\$(?:apr1|[156789]|y|2[abxy])\$|\$argon2(?:id|i|d)\$)[\w./+,=$-]{22,400})/dy,
  ),
  byShape(
    'password-hash',
    ['pbkdf2', 'scrypt$'],
    /(?<=(?<![\w$])(?<head>\$?))(?<secret>(?:pbkdf2[_-]sha\d{1,3}\$|scrypt\$)[\w./+,=$-]{22,400})/dy,
  ),
  // Go's DSN: app:…@tcp(db:3306)/shop
  byPlace(
    'password',
    ['@tcp(', '@unix(', '@tcp4(', '@tcp6('],
    /(?<=(?<![\w.-])(?<user>[\w.-]{1,64}):(?<head>[^\s:@/"'`<>]{4,128}))(?<secret>)@/dy,
    (secret, { user }) => secret !== user && isUrlPassword(secret),
  ),
  byShape(
    'asana-token',
    ['1/', '2/'],
    /(?<![\w/.-])(?<secret>[12]\/\d{13,20}(?:\/\d{13,20})?:[0-9a-f]{32})(?![\w-])/dy,
  ),
  // any service's: shop_live_…, shop_sk_…, shop-secret-…
  byPlace(
    'api-key',
    ['live', 'test', 'prod', 'sandbox', 'sk', 'pat', 'secret', 'token', 'key'].flatMap((mark) => [
      `_${mark}_`,
      `-${mark}-`,
    ]),
    /(?<=(?<![A-Za-z0-9])(?<head>[a-z][a-z0-9]{1,11}))(?<secret>[_-][a-z]{2,7}[_-](?<rest>(?:[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f]{4}-)[\w.-]{0,200}))(?<=\w)(?![\w-])/dy,
    (secret, { rest = '' }) => !/^p(?:k|ub)/.test(secret) && looksLikeKey(rest, true),
  ),
  byShape(
    'unleash-token',
    [':development.', ':production.', ':default.', '*.'],
    /(?<=(?<![\w-])(?<head>[\w*-]{1,40}))(?<secret>:(?:development|production|default)\.[0-9a-f]{40,80})(?![\w-])/dy,
  ),
  byShape(
    'convex-key',
    ['prod:', 'preview:', 'dev:'],
    /(?<![\w-])(?<secret>(?:prod|preview|dev):[a-z]+-[a-z]+-\d{1,4}\|[\w+/=-]{30,200})/dy,
  ),
  // PuTTY
  byShape(
    'private-key',
    'Private-Lines:',
    /Private-Lines: \d{1,4}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|$)){1,400})/dy,
  ),
  // $PGPASSFILE: host:port:database:user:password
  byPlace(
    'password',
    null,
    /:(?:\d{2,5}|\*):(?<=^[\w.*-]{1,128}:(?:\d{2,5}|\*):)[\w*-]{1,64}:[\w.*-]{1,64}:(?<secret>[^\s:]{6,128})$/dgm,
    isChosenOrGenerated,
  ),
  // a file of cookies as curl writes it
  byPlace(
    'cookie',
    ['\tTRUE\t', '\tFALSE\t'],
    /\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,64}\t(?<secret>[^\s]{12,4096})/dy,
    looksGenerated,
  ),
  ...SPOKEN,
  // "use token …", "aws_secret_access_key …", "vault login …"
  byPlace(
    'token',
    ['token', 'secret', 'apikey', 'api key', 'api_key', 'api-key', '_key', 'vault login'],
    /(?:token|secret|api[ _-]?key|_key|vault login)[ \t]{1,4}(?:(?:is|was|to|now)[ \t]{1,4}){0,2}["'`]?(?<secret>[\w+/.=~-]{20,512})/diy,
    looksGenerated,
  ),
];

/** Secrets before the host of an address. */
const ADDRESS_RULES: readonly Rule[] = [
  // scheme://user:password@host: the password alone
  byPlace(
    'password',
    '://',
    /:\/\/(?<user>[^\s:/@"'`<>]{0,256}):(?<secret>[^\s/"'`<>?#]{3,256})@(?=[\w[%-])/dy,
    (secret, { user }) => secret !== user && isUrlPassword(secret),
  ),
  // a token in the place of the user's name
  byShape('github-token', '://', /(?<=https?):\/\/(?<secret>[^\s:/@"'`<>$]{16,256}):x-oauth-basic@/dy),
  // a token in the place of the user's name; also the key of a Sentry DSN
  byPlace(
    'url-token',
    '://',
    /:\/\/(?<secret>[\w-]{20,256})(?=(?::[^\s/@"'`<>]{1,256})?@[\w[%-])/dy,
    looksGenerated,
  ),
];

const ALL = [...RULES, ...COMMANDS, ...CALLS];
const SHAPES = ALL.filter(({ anchors }) => anchors === null);

const IN_ADDRESSES = ADDRESS_RULES.flatMap((rule) => finderOf(rule) ?? []);
const ADDRESS_WITH_USER = /:\/\/[^\s/@"'`<>?#]{1,512}@/y;

/** A fast path: most addresses have no user part. */
const ADDRESSES: Finder = {
  anchors: exactly(['://']),
  at: (text, place, anchor) => {
    if (matchAt(ADDRESS_WITH_USER, text, place) === null) return undefined;
    const answers = IN_ADDRESSES.flatMap((finder) => finder.at(text, place, anchor) ?? []);
    return {
      findings: answers.flatMap(({ findings }) => findings),
      next: Math.max(ADDRESS_WITH_USER.lastIndex, ...answers.map(({ next }) => next)),
    };
  },
};

export const ANCHORED: readonly Finder[] = [
  ADDRESSES,
  WRAPPED_JWT,
  BARE_KEYS,
  ...ALL.flatMap((rule) => finderOf(rule) ?? []),
];

/** Applies the rules without anchors. */
export function findShapes(text: string): Finding[] {
  return SHAPES.flatMap((rule) => findBy(rule, text));
}

/** A dot in a URL does not indicate code. */
function isUrlPassword(secret: string): boolean {
  if (looksChosen(secret, 'firm') || looksChosen(secret.replaceAll('.', '+'), 'firm')) return true;
  return !isPlaceholder(secret) && (isPassphrase(secret) || /^[a-z]{8,64}$/i.test(secret));
}

/** base64 of `user:password`, printable, with a password that is not a placeholder. */
function isBasicCredential(value: string): boolean {
  if (value.replace(/=+$/, '').length % 4 === 1) return false;
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  const colon = decoded.indexOf(':');
  if (colon < 0 || !/^[\x20-\x7e]+$/.test(decoded)) return false;
  const password = decoded.slice(colon + 1);
  return password.length >= 4 && !isPlaceholder(password, true);
}
