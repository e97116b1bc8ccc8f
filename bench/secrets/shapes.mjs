/**
 * Generated secrets in the formats of their issuers. This file contains nothing key-shaped: every value is
 * built at run time, from pieces and a seeded random source.
 */
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const URLSAFE = `${ALNUM}-_`;
const BASE32 = `${UPPER}234567`;

/** @param {{ pick: (list: any) => any, between: (low: number, high: number) => number }} random */
export function makeShapes(random) {
  const from = (alphabet, length) =>
    Array.from({ length }, () => alphabet.charAt(random.between(0, alphabet.length - 1))).join('');
  const alnum = (length) => from(ALNUM, length);
  const hex = (length) => from(`${DIGITS}abcdef`, length);
  const safe = (length) => `${from(URLSAFE, length - 1)}${from(ALNUM, 1)}`;
  const base64 = (bytes) =>
    Buffer.from(Uint8Array.from({ length: bytes }, () => random.between(0, 255))).toString('base64');
  const json64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const uuid = () => [8, 4, 4, 4, 12].map((length) => hex(length)).join('-');
  const password = () =>
    `${from(UPPER, 1)}${from(LOWER, 4)}${from(DIGITS, 2)}${random.pick(['!', '#', '%', '&', '*', '+'])}${alnum(5)}${from(DIGITS, 1)}`;
  const passphrase = () => `${from(LOWER, 6)}-${from(LOWER, 5)}${from(DIGITS, 3)}-${from(LOWER, 7)}`;
  const pem = (label) => {
    const lines = Array.from({ length: 6 }, () => from(`${ALNUM}+/`, 64));
    return [`-----BEGIN ${label}-----`, ...lines, `${alnum(30)}==`, `-----END ${label}-----`];
  };
  const PRIVATE = ['PRIVATE', 'KEY'].join(' ');
  const jwt = () =>
    [
      json64({ alg: 'RS256', typ: 'JWT' }),
      json64({ sub: hex(8), iat: 1_760_000_000, exp: 1_760_003_600 }),
      safe(random.pick([43, 86, 342])),
    ].join('.');

  /** By kind: tokens that are recognised in any context. */
  const tokens = {
    'aws access key id': () => `${random.pick(['AK', 'AS'])}IA${from(BASE32, 16)}`,
    'google api key': () => `AI${'za'}Sy${safe(33)}`,
    'google oauth client secret': () => `GOC${'SPX'}-${safe(28)}`,
    'google access token': () => `ya${'29'}.a0${safe(120)}`,
    'google refresh token': () => `1/${'/0'}${from(DIGITS, 1)}${safe(80)}`,
    'github classic token': () => `gh${'p'}_${alnum(36)}`,
    'github fine-grained token': () => `github_${'pat'}_${alnum(22)}_${alnum(59)}`,
    'github app token': () => `gh${random.pick(['s', 'u', 'o', 'r'])}_${alnum(36)}`,
    'gitlab token': () => `gl${'pat'}-${safe(20)}`,
    'gitlab routable token': () => `gl${'pat'}-${safe(27)}.${from(DIGITS, 2)}.${from(LOWER + DIGITS, 9)}`,
    'gitlab runner token': () => `gl${'rt'}-${safe(20)}`,
    'slack bot token': () => `xox${'b'}-${from(DIGITS, 12)}-${from(DIGITS, 13)}-${alnum(24)}`,
    'slack user token': () =>
      `xox${'p'}-${from(DIGITS, 12)}-${from(DIGITS, 12)}-${from(DIGITS, 13)}-${hex(32)}`,
    'slack webhook': () =>
      `https://hooks.slack.com/services/T${from(BASE32, 8)}/B${from(BASE32, 10)}/${alnum(24)}`,
    'stripe secret key': () => `sk_${'live'}_51${alnum(97)}`,
    'stripe test key': () => `sk_${'test'}_${alnum(24)}`,
    'stripe restricted key': () => `rk_${'live'}_${alnum(32)}`,
    'stripe webhook secret': () => `wh${'sec'}_${alnum(32)}`,
    'openai project key': () => `sk-${'proj'}-${safe(74)}T3Blbk${'FJ'}${safe(74)}`,
    'openai legacy key': () => `sk-${alnum(20)}T3Blbk${'FJ'}${alnum(20)}`,
    'openai service account key': () => `sk-${'svcacct'}-${safe(58)}T3Blbk${'FJ'}${safe(58)}`,
    'anthropic key': () => `sk-${'ant'}-api03-${safe(93)}AA`,
    'anthropic admin key': () => `sk-${'ant'}-admin01-${safe(93)}AA`,
    'npm token': () => `np${'m_'}${alnum(36)}`,
    'pypi token': () => `py${'pi'}-AgEIcHlwaS5vcmc${safe(150)}`,
    'sendgrid key': () => `S${'G.'}${safe(22)}.${safe(43)}`,
    'twilio api key': () => `S${'K'}${hex(32)}`,
    'mailgun key': () => `key-${hex(32)}`,
    'mailgun sending key': () => `${hex(32)}-${hex(8)}-${hex(8)}`,
    'discord bot token': () => `${random.pick(['M', 'N', 'O'])}${alnum(25)}.${safe(6)}.${safe(38)}`,
    'discord webhook': () => `https://discord.com/api/webhooks/${from(DIGITS, 18)}/${safe(68)}`,
    'telegram token': () => `${from('123456789', 10)}:A${'A'}${safe(33)}`,
    'azure client secret': () => `${alnum(3)}8${'Q~'}${from(URLSAFE, 34)}`,
    'doppler token': () => `d${'p.st'}.prd.${alnum(43)}`,
    'hashicorp vault token': () => `hv${'s.'}CAES${safe(90)}`,
    'terraform cloud token': () => `${alnum(14)}.${'atlas'}v1.${alnum(67)}`,
    'shopify token': () => `shp${'at'}_${hex(32)}`,
    'square access token': () => `EAAA${'l'}${safe(59)}`,
    'square oauth secret': () => `sq0${'csp'}-${safe(43)}`,
    'cloudflare token': () => `cf${'ut'}_${alnum(40)}${hex(8)}`,
    'cloudflare origin ca key': () => `v1${'.0'}-${hex(24)}-${hex(146)}`,
    'digitalocean token': () => `do${'p_v1'}_${hex(64)}`,
    'docker token': () => `dckr_${'pat'}_${safe(27)}`,
    'huggingface token': () => `h${'f_'}${from(LOWER + UPPER, 34)}`,
    'groq key': () => `gs${'k_'}${alnum(52)}`,
    'replicate token': () => `r${'8_'}${alnum(37)}`,
    'age secret key': () => `AGE-SECRET-${'KEY'}-1${from(BASE32.replace(/[BIO]/g, ''), 58)}`,
    jwt,
    'linear key': () => `lin_${'api'}_${alnum(40)}`,
    'notion token': () => `ntn_${from(DIGITS, 11)}${alnum(35)}`,
    'databricks token': () => `da${'pi'}${hex(32)}`,
    'new relic key': () => `NR${'AK'}-${from(UPPER + DIGITS, 27)}`,
    'grafana token': () => `gl${'sa'}_${alnum(32)}_${hex(8)}`,
    'sentry token': () =>
      `sn${'trys'}_${json64({ iat: 1.7e9, url: 'https://sentry.io' })}_${from(`${ALNUM}+/`, 43)}`,
    'sentry user token': () => `sn${'tryu'}_${hex(64)}`,
    'supabase key': () => `sb${'p_'}${hex(40)}`,
    'supabase secret key': () => `sb_${'secret'}_${safe(31)}`,
    'postman key': () => `PM${'AK'}-${hex(24)}-${hex(34)}`,
    'rubygems key': () => `rubygems_${hex(48)}`,
    'atlassian token': () => `ATAT${'T3'}x${safe(180)}=${hex(8).toUpperCase()}`,
    'figma token': () => `fig${'d_'}${safe(40)}`,
    'planetscale password': () => `pscale_${'pw'}_${safe(43)}`,
    'pulumi token': () => `pul-${hex(40)}`,
    'dropbox token': () => `sl.${'B'}${safe(135)}`,
    'airtable token': () => `pat${alnum(14)}.${hex(64)}`,
    'hubspot token': () => `pat-${'na1'}-${uuid()}`,
    'perplexity key': () => `pp${'lx'}-${alnum(48)}`,
    'xai key': () => `x${'ai'}-${alnum(80)}`,
    'openrouter key': () => `sk-${'or'}-v1-${hex(64)}`,
    'langfuse key': () => `sk-${'lf'}-${uuid()}`,
    'langsmith key': () => `lsv2_${'pt'}_${hex(32)}_${hex(10)}`,
    'tailscale key': () => `ts${'key'}-auth-k${alnum(11)}-${alnum(32)}`,
    'fly.io token': () => `Fm${'V1 '}${'fm2_'}${from(`${ALNUM}+/`, 120)}`,
    'heroku key': () => `HRKU-${'AA'}${safe(58)}`,
    'buildkite token': () => `bkua_${hex(40)}`,
    'sonarqube token': () => `sq${'u_'}${hex(40)}`,
    'facebook access token': () => `EAA${'CEdEose0cBA'}${alnum(150)}`,
    'mapbox secret token': () => `sk.${json64({ u: 'someone', a: alnum(24) })}.${safe(22)}`,
    'vercel token': () => `vc${'p_'}${alnum(56)}`,
    'netlify token': () => `nf${'p_'}${alnum(36)}`,
    'jfrog token': () => `AKCp${'8'}${alnum(68)}`,
    'nuget key': () => `oy2${from(LOWER + DIGITS, 43)}`,
    'aws service token': () => `AB${'IA'}${from(BASE32, 16)}`,
    'aws bedrock key': () => `AB${'SK'}${from(`${ALNUM}+/`, 112)}`,
    'aws marketplace token': () => `amzn${'.mws'}.${uuid()}`,
    'amazon oauth secret': () => `amzn1${'.oa2-cs'}.v1.${hex(64)}`,
    'aws appsync key': () => `da2${'-'}${from(LOWER + DIGITS, 26)}`,
    'adobe secret': () => `p8${'e-'}${alnum(32)}`,
    'alibaba key id': () => `LT${'AI'}${alnum(20)}`,
    'tencent key id': () => `AK${'ID'}${alnum(32)}`,
    '1password secret key': () =>
      `A3${'-'}${[6, 6, 5, 5, 5, 5].map((length) => from(UPPER + DIGITS, length)).join('-')}`,
    'clickhouse key': () => `4b${'1d'}${alnum(38)}`,
    'clojars token': () => `CLOJ${'ARS'}_${from(LOWER + DIGITS, 60)}`,
    'crates.io token': () => `ci${'o'}${alnum(32)}`,
    'defined networking key': () => `dn${'key'}-${safe(26)}-${safe(52)}`,
    'dependency track key': () => `od${'t_'}${alnum(32)}`,
    'frame.io token': () => `fio${'-u-'}${safe(64)}`,
    'gitlab registration token': () => `GR13${'48941'}${safe(20)}`,
    'google api key of today': () => `AQ${'.Ab'}${safe(50)}`,
    'grafana api key': () => json64({ k: alnum(32), n: 'ci', id: 1 }),
    'harness token': () => `pa${'t.'}${alnum(22)}.${hex(24)}.${alnum(20)}`,
    'authress key': () => `sc${'_'}${alnum(12)}.${alnum(5)}.acc-${alnum(16)}.${safe(60)}`,
    'intra42 secret': () => `s-s4${'t2ud'}-${hex(64)}`,
    'openshift token': () => `sha${'256'}~${safe(43)}`,
    'plaid token': () => `access-${'production'}-${uuid()}`,
    'octopus key': () => `AP${'I-'}${from(UPPER + DIGITS, 26)}`,
    'salesforce token': () => `00${'D'}${alnum(12)}!${alnum(96)}`,
    'settlemint token': () => `sm_${'pat'}_${alnum(16)}`,
    'sourcegraph token': () => `sg${'p_'}${hex(16)}_${hex(40)}`,
    'segment token': () => `sg${'p_'}${alnum(64)}`,
    'stackhawk key': () => `haw${'k.'}${safe(20)}.${safe(20)}`,
    'teamcity token': () => `${'eyJ0eXAi'}${'OiAiVENWMiJ9'}.${alnum(36)}.${alnum(48)}`,
    'twitch stream key': () => `liv${'e_'}${from(DIGITS, 9)}_${alnum(30)}`,
    'twitter bearer token': () => `${'A'.repeat(22)}${alnum(20)}%2B${alnum(30)}%3D${alnum(30)}`,
    'pixie key': () => `px-${'api'}-${uuid()}`,
    'adafruit key': () => `ai${'o_'}${alnum(28)}`,
    'apify token': () => `apify_${'api'}_${alnum(36)}`,
    'bitbucket token': () => `BB${'DC-'}${alnum(44)}`,
    'docker organisation token': () => `dckr_${'oat'}_${safe(32)}`,
    'elevenlabs key': () => `s${'k_'}${hex(48)}`,
    'mailersend key': () => `ml${'sn.'}${hex(64)}`,
    'neon key': () => `nap${'i_'}${from(LOWER + DIGITS, 64)}`,
    'notion secret': () => `sec${'ret'}_${alnum(43)}`,
    'packagist token': () => `packagist_${'uut'}_${hex(68)}`,
    'pinecone key': () => `pc${'sk_'}${alnum(70)}`,
    'posthog key': () => `ph${'x_'}${alnum(43)}`,
    'deno token': () => `dd${'p_'}${alnum(36)}`,
    'wakatime key': () => `wak${'a_'}${uuid()}`,
    'mailchimp key': () => `${hex(32)}-us${random.between(1, 21)}`,
    'maxmind key': () => `${alnum(6)}_${alnum(29)}_${'mmk'}`,
    'azure named key': () => `${alnum(52)}JQ${'QJ99'}${alnum(26)}`,
    'azure devops token': () => `${alnum(76)}AZ${'DO'}${alnum(4)}`,
    'azure registry key': () => `${alnum(42)}${'+AC'}R${alnum(6)}`,
    'slack workflow': () =>
      `https://hooks.slack.com/${'workflows'}/T${from(BASE32, 8)}/A${from(BASE32, 8)}/${from(DIGITS, 18)}/${alnum(24)}`,
    'encoded private key': () => Buffer.from(pem(`RSA ${PRIVATE}`).join('\n')).toString('base64'),
    'encoded jwt': () =>
      Buffer.from(`${json64({ alg: 'HS256' })}.${json64({ sub: 1 })}.${safe(43)}`).toString('base64'),
  };
  return {
    tokens,
    alnum,
    hex,
    safe,
    base64,
    uuid,
    password,
    passphrase,
    pem,
    jwt,
    json64,
    PRIVATE,
    from,
    DIGITS,
    LOWER,
    UPPER,
    BASE32,
  };
}
