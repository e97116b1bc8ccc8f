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

/** A token known by a literal in its middle. The characters in `edge` do not occur next to it. */
const tokenAround = (
  kind: string,
  edge: string,
  head: string,
  middle: string,
  rest: string,
  accept?: Rule['accept'],
): Rule => {
  const token = `(?<=(?<!${edge})(?<head>${head}))(?<secret>(?<at>${middle})${rest})(?!${edge})`;
  return byShape(kind, new RegExp(token), accept);
};
const ALNUM = '[A-Za-z0-9]';

/**
 * Our own rules, for secrets that secretlint's recommended preset misses or reports with a wrong range. Prefixes are the
 * ones that vendors publish for secret scanning.
 */
const RULES: readonly Rule[] = [
  JWT,
  byShape(
    'jwe',
    /(?<![\w-])(?<secret>(?<at>eyJ)[\w-]{15}[\w-]*\.[\w-]*\.[\w-]{10}[\w-]*\.[\w-]{16}[\w-]*\.[\w-]{16}[\w-]*)/,
  ),
  // stateless installation tokens: a JWT after the application's number
  tokenAround(
    'github-token',
    '[\\w-]',
    'gh[a-z]_\\d{1,20}',
    '_eyJ',
    '[\\w-]{10}[\\w-]*\\.[\\w-]{10}[\\w-]*\\.[\\w-]{10}[\\w-]*',
  ),
  byShape(
    'telegram-token',
    /(?<=(?:(?<![\w-])|(?<=\/bot))(?<head>\d{8,10}))(?<secret>(?<at>:AA)[\w-]{33})(?![\w-])/,
  ),
  // an application's client secret
  tokenAround('azure-secret', '[\\w~.-]', '[\\w~.-]{3}\\d', 'Q~', '[\\w~.-]{31,34}'),
  // Azure storage, service bus
  byShape(
    'account-key',
    /(?<at>AccountKey=|SharedAccessKey=|SharedAccessSignature=)(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/i,
  ),
  // also `"auth": "…"` of Docker and `_auth=` of npm
  byPlace(
    'basic-auth',
    /(?:\bBasic[ \t]{1,9}|(?<=\b_?)auth["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?<secret>[A-Za-z0-9+/]{8,1024}={0,2})/i,
    isBasicCredential,
    ['basic', 'auth'],
  ),
  byPlace(
    'bearer',
    /\b(?<at>Bearer)(?:["']?:)?[ \t]{1,9}["']?(?<secret>[\w.~+/-]{12,4096}={0,2})/i,
    looksGenerated,
  ),
  byPlace(
    'authorization',
    /\b(?<at>Authorization)\\{0,3}["']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})/i,
    looksGenerated,
  ),
  // signed URLs of S3, Google and Azure
  byPlace(
    'signature',
    /(?<=[?&;])(?<at>X-Amz-Signature=|X-Amz-Security-Token=|X-Goog-Signature=|Signature=|sig=)(?<secret>[\w%+/~.-]{20,2048}=*)/,
    looksGenerated,
  ),
  // an authorization code or a session in a URL
  byPlace(
    'token',
    /(?<=[?&;](?:auth_?|php|js|j|app_?|access_?|oauth_?)?)(?<at>code=|key=|auth=|sid=|appid=|ticket=|sessionid=)(?<secret>[\w%/.~+-]{20,1024}={0,2})/i,
    looksGenerated,
  ),
  // the application's number and its secret
  byShape('facebook-token', /(?<at>access_token=)(?<secret>\d{13,17}(?:\||%7C)[\w-]{20,40})/),
  byShape(
    'webhook',
    /(?:\/api\/webhooks\/\d{10,24}\/|(?<=webhookb?2?\/[\w-]{36}@[\w-]{36})\/(?:IncomingWebhook|JenkinsCI)\/|hooks\.slack\.com\/(?:workflows|triggers)\/)(?<secret>[\w-]{20,120}(?:\/[\w-]{16,120}){0,3}|[A-Z]\w{6,20}(?:\/\w{6,64}){2,3})/,
    undefined,
    ['/api/webhooks/', '/IncomingWebhook/', '/JenkinsCI/', 'hooks.slack.com/'],
  ),
  tokenAround('mailchimp-key', '[\\w-]', '[0-9a-f]{32}', '-us', '[1-9]\\d?'),
  tokenAround('maxmind-key', '[\\w-]', `${ALNUM}{6}_${ALNUM}{29}`, '_mmk', ''),
  // the keys of Azure that name themselves
  tokenAround('azure-key', ALNUM, `${ALNUM}{52}`, 'JQQJ99', `${ALNUM}{26}`),
  tokenAround('azure-token', ALNUM, `${ALNUM}{70,80}`, 'AZDO', `${ALNUM}{4,5}`),
  // of a container registry
  tokenAround('azure-key', '[A-Za-z0-9+/]', '[A-Za-z0-9+/]{42}', '\\+ACR', `${ALNUM}{6}`),
  // encoded once more
  byShape('jwt', /(?<![\w-])(?<secret>(?<at>ZXlK)aGJHY2lPaU[\w+/-]{40,8192}={0,2})/),
  byShape(
    'discord-token',
    /(?<![\w.-])(?<secret>[MNO][A-Za-z0-9]{23,28}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/,
    (secret) => looksGenerated(secret.replaceAll('.', '')),
  ),
  tokenAround('terraform-token', '[\\w-]', `${ALNUM}{14}`, '\\.atlasv1\\.', '[\\w-]{60,70}', (secret) => {
    return !isPlaceholder(secret, true);
  }),
  byShape(
    'mailgun-key',
    /(?<secret>-[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])(?<=(?<![\w-])(?<head>[0-9a-f]{32})(?:-[0-9a-f]{8}){2})/,
  ),
  tokenAround('fcm-key', '[\\w-]', '[\\w-]{11}', ':APA91b', '[\\w-]{120,160}'),
  // crypt(3), htpasswd, argon2, Django
  byShape(
    'password-hash',
    /(?<![\w$])(?<secret>(?<at>\$apr1\$|\$1\$|\$2a\$|\$2b\$|\$2y\$|\$2x\$|\$5\$|\$6\$|\$7\$|\$8\$|\$9\$|\$y\$|\$argon2id\$|\$argon2i\$|\$argon2d\$)[\w./+,=$-]{22,400})/,
  ),
  byShape(
    'password-hash',
    /(?<=(?<![\w$])(?<head>\$?))(?<secret>(?:pbkdf2[_-]sha\d{1,3}\$|scrypt\$)[\w./+,=$-]{22,400})/,
    undefined,
    ['pbkdf2', 'scrypt$'],
  ),
  // Go's DSN: app:…@tcp(db:3306)/shop
  byPlace(
    'password',
    /(?<=(?<![\w.-])(?<user>[\w.-]{1,64}):(?<head>[^\s:@/"'`<>]{4,128}))(?<secret>)(?<at>@tcp\(|@unix\(|@tcp4\(|@tcp6\()/,
    (secret, { user }) => secret !== user && isUrlPassword(secret),
  ),
  byShape(
    'asana-token',
    /(?<![\w/.-])(?<secret>(?<at>1\/|2\/)\d{13,20}(?:\/\d{13,20})?:[0-9a-f]{32})(?![\w-])/,
  ),
  // any service's: shop_live_…, shop_sk_…, shop-secret-…
  byPlace(
    'api-key',
    /(?<=(?<![A-Za-z0-9])(?<head>[a-z][a-z0-9]{1,11}))(?<secret>[_-][a-z]{2,7}[_-](?<rest>(?:[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f]{4}-)[\w.-]{0,200}))(?<=\w)(?![\w-])/,
    (secret, { rest = '' }) => !/^p(?:k|ub)/.test(secret) && looksLikeKey(rest, true),
    ['live', 'test', 'prod', 'sandbox', 'sk', 'pat', 'secret', 'token', 'key'].flatMap((mark) => [
      `_${mark}_`,
      `-${mark}-`,
    ]),
  ),
  tokenAround(
    'unleash-token',
    '[\\w-]',
    '[\\w*-]{1,40}',
    ':development\\.|:production\\.|:default\\.',
    '[0-9a-f]{40,80}',
  ),
  byShape(
    'convex-key',
    /(?<![\w-])(?<secret>(?<at>prod:|preview:|dev:)[a-z]+-[a-z]+-\d{1,4}\|[\w+/=-]{30,200})/,
  ),
  // PuTTY
  byShape(
    'private-key',
    /(?<at>Private-Lines:) \d{1,4}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{1,76}(?:\r?\n|$)){1,400})/,
  ),
  // $PGPASSFILE: host:port:database:user:password
  byPlace(
    'password',
    /:(?:\d{2,5}|\*):(?<=^[\w.*-]{1,128}:(?:\d{2,5}|\*):)[\w*-]{1,64}:[\w.*-]{1,64}:(?<secret>[^\s:]{6,128})$/m,
    isChosenOrGenerated,
  ),
  // a file of cookies as curl writes it
  byPlace('cookie', /\t(?:TRUE|FALSE)\t\d{1,12}\t[\w.-]{1,64}\t(?<secret>[^\s]{12,4096})/, looksGenerated, [
    '\tTRUE\t',
    '\tFALSE\t',
  ]),
  ...SPOKEN,
  // "use token …", "aws_secret_access_key …", "vault login …"
  byPlace(
    'token',
    /(?<at>token|secret|apikey|api key|api_key|api-key|_key|vault login)[ \t]{1,4}(?:(?:is|was|to|now)[ \t]{1,4}){0,2}["'`]?(?<secret>[\w+/.=~-]{20,512})/i,
    looksGenerated,
  ),
];

/** Secrets before the host of an address. */
const ADDRESS_RULES: readonly Rule[] = [
  // scheme://user:password@host: the password alone
  byPlace(
    'password',
    /(?<at>:\/\/)(?<user>[^\s:/@"'`<>]{0,256}):(?<secret>[^\s/"'`<>?#]{3,256})@(?=[\w[%-])/,
    (secret, { user }) => secret !== user && isUrlPassword(secret),
  ),
  // a token in the place of the user's name
  byShape('github-token', /(?<=https?)(?<at>:\/\/)(?<secret>[^\s:/@"'`<>$]{16,256}):x-oauth-basic@/),
  // a token in the place of the user's name; also the key of a Sentry DSN
  byPlace(
    'url-token',
    /(?<at>:\/\/)(?<secret>[\w-]{20,256})(?=(?::[^\s/@"'`<>]{1,256})?@[\w[%-])/,
    looksGenerated,
  ),
];

const ALL = [...RULES, ...COMMANDS, ...CALLS];
const SHAPES = ALL.filter(({ anchors }) => anchors === undefined);

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
