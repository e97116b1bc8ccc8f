/** Key-shaped strings, built at run time so that none is in the repository. */

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
export const ALPHANUMERIC = LOWER + UPPER + DIGITS;
export const HEX = `${DIGITS}abcdef`;
const BASE32 = `${UPPER}234567`;

/** `length` pseudo-random characters of the alphabet, the same in every run. */
export function random(length: number, alphabet = ALPHANUMERIC, seed = 1): string {
  let state = (seed * 2_654_435_761) >>> 0;
  let text = '';
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet.charAt(Math.floor((state / 2 ** 32) * alphabet.length));
  }
  return text;
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export const PASSWORD = ['m4', 'Zq', '!7', 'wd', 'K2'].join('');
export const JWT = [
  base64url({ alg: 'HS256', typ: 'JWT' }),
  base64url({ sub: '4711', iat: 1 }),
  random(43),
].join('.');
export const PEM = [
  `-----BEGIN ${'PRIVATE'} KEY-----`,
  `MI${random(62)}`,
  random(64, ALPHANUMERIC, 2),
  random(64, ALPHANUMERIC, 3),
  `-----END ${'PRIVATE'} KEY-----`,
];

/** One secret per used rule of secretlint's preset, by the end of the rule's name, with our kind. */
export const BY_SECRETLINT: Record<string, [secret: string, kind: string]> = {
  aws: [`AK${'IA'}${random(16, BASE32)}`, 'aws-access-key-id'],
  privatekey: [PEM.join('\n'), 'private-key'],
  npm: [`npm_${random(36)}`, 'npm-access-token'],
  basicauth: [`https://someone:${random(12)}@host.test`, 'password'],
  slack: [`xox${'b'}-${random(12, DIGITS)}-${random(12, DIGITS)}-${random(24)}`, 'slack-token'],
  sendgrid: [`SG.${random(22)}.${random(43)}`, 'sendgrid-key'],
  shopify: [`shp${'at'}_${random(32, HEX)}`, 'shopify-key'],
  github: [`gh${'p'}_${random(36)}`, 'github-token'],
  gitlab: [`gl${'pat'}-${random(20)}`, 'gitlab-personal-access-token'],
  grafana: [`glsa_${random(32)}_${random(8, HEX)}`, 'grafana-service-account-token'],
  openai: [`sk-${random(20)}T3Blbk${'FJ'}${random(20, ALPHANUMERIC, 2)}`, 'openai-token'],
  anthropic: [`sk-${'ant'}-api03-${random(93)}AA`, 'anthropic-key'],
  groq: [`gsk_${random(52)}`, 'groq-api-key'],
  huggingface: [`hf_${random(34, LOWER + UPPER)}`, 'huggingface-user-access-token'],
  linear: [`lin_api_${random(40)}`, 'linear-api-token'],
  notion: [`ntn_${random(11, DIGITS)}${random(35)}`, 'notion-integration-token'],
  '1password': [
    `ops_${base64url({ email: 'a@b.invalid', secretKey: random(92), muk: { k: 'oct' } })}`,
    '1password-token',
  ],
  'database-connection-string': [`mongodb://app:${random(12)}@db.invalid/x`, 'password'],
  'hashicorp-vault': [`hvs.${random(95)}`, 'hashicorp-vault-service-token'],
  vercel: [`vcp_${random(40)}`, 'vercel-personal-access-token'],
  databricks: [`dapi${random(32, HEX)}`, 'databricks-personal-access-token'],
  docker: [`dckr_pat_${random(27)}`, 'docker-personal-access-token'],
  figma: [`figd_${random(43)}`, 'figma-personal-access-token'],
};

/** One secret for each row of our own table that is recognised by its format. */
export const BY_RULES: [secret: string, kind: string][] = [
  [JWT, 'jwt'],
  [[base64url({ alg: 'RSA-OAEP' }), random(80), random(16), random(60), random(22)].join('.'), 'jwe'],
  [`ghs_4711_${JWT}`, 'github-token'],
  [`AI${'za'}${random(35)}`, 'google-api-key'],
  [`GOC${'SPX'}-${random(28)}`, 'google-oauth'],
  [`sk_${'live'}_${random(24)}`, 'stripe-key'],
  [`ops_${base64url({ secretKey: random(100) })}`, '1password-token'],
  [`ts${'key'}-auth-${random(12)}-${random(24)}`, 'tailscale-key'],
  [`cf${'ut'}_${random(40)}${random(8, HEX)}`, 'cloudflare-token'],
  [`gl${'rt'}-${random(20)}`, 'gitlab-token'],
  [`sk-or-v1-${random(64, HEX)}`, 'api-key'],
  [`dop_${'v1'}_${random(64, HEX)}`, 'api-key'],
  [`xa${'pp'}-1-A${random(10, BASE32)}-${random(13, DIGITS)}-${random(64, HEX)}`, 'slack-token'],
  [`${random(9, '123456789')}:${'AA'}${random(33)}`, 'telegram-token'],
  [`abc8${'Q~'}${random(34)}`, 'azure-secret'],
  [`AB${'IA'}${random(16, BASE32)}`, 'aws-access-key-id'],
  [`p8${'e-'}${random(32)}`, 'adobe-secret'],
  [`A3${'-'}${random(6, BASE32)}-${random(11, BASE32)}-${random(5, BASE32)}-ABCDE-FGHIJ`, '1password-key'],
  [`ci${'o'}${random(32)}`, 'crates-token'],
  [`pa${'t.'}${random(22)}.${random(24)}.${random(20)}`, 'harness-token'],
  [`sg${'p_'}${random(40, HEX)}`, 'sourcegraph-token'],
  [`sg${'p_'}${random(64)}`, 'segment-token'],
  [`00${'D'}${random(12)}!${random(96)}`, 'salesforce-token'],
  [`${'A'.repeat(22)}${random(20)}%2B${random(60)}`, 'twitter-token'],
  [`xox${'s'}-${random(9, '123456789')}-${random(9, '123456789')}-${random(16, HEX)}`, 'slack-token'],
  [`${random(32, HEX)}-us12`, 'mailchimp-key'],
  [`${random(6)}_${random(29)}_${'mmk'}`, 'maxmind-key'],
  [`${random(52)}JQ${'QJ99'}${random(26)}`, 'azure-key'],
  [`${random(76)}AZ${'DO'}${random(4)}`, 'azure-token'],
  [`${random(42)}${'+AC'}R${random(6)}`, 'azure-key'],
  [Buffer.from(PEM.join('\n')).toString('base64'), 'private-key'],
  [Buffer.from(JWT).toString('base64'), 'jwt'],
];
