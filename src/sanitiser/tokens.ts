import { exactly, type Finder } from './finder.js';
import { looksGenerated } from './judge.js';

/** Tokens that are known by how they begin. */
interface TokenRow {
  kind: string;
  /** What they begin with, literally. */
  starts: readonly string[];
  /** What follows, at most; nothing that could be part of it may come after it. */
  rest: string;
  /** For beginnings that stand in other words, too. */
  accept?: (rest: string) => boolean;
  general?: boolean;
}

/** Prefixes and lengths are the ones that issuers publish for secret scanning, with some room. */
const TABLE: readonly TokenRow[] = [
  {
    kind: 'github-token',
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    rest: '[A-Za-z0-9]{36,255}',
    general: true,
  },
  {
    kind: 'github-token',
    starts: ['github_pat_'],
    rest: '[A-Za-z0-9]{22}_[A-Za-z0-9]{40,90}',
    general: true,
  },
  // Routable tokens have three parts.
  {
    kind: 'gitlab-token',
    starts: [
      'glpat-',
      'glrt-',
      'gldt-',
      'glptt-',
      'glcbt-',
      'glft-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glsoat-',
      'glrtr-',
      'glffct-',
    ],
    rest: '[\\w-]{20,300}(?:\\.[\\w-]{2}\\.[\\w-]{7,12})?',
    accept: looksGenerated,
    general: true,
  },
  { kind: 'google-api-key', starts: ['AIza'], rest: '[\\w-]{35}' },
  { kind: 'google-oauth', starts: ['GOCSPX-'], rest: '[\\w-]{28}' },
  { kind: 'google-oauth', starts: ['ya29.'], rest: '[\\w-]{30,2048}' },
  { kind: 'google-oauth', starts: ['1//0'], rest: '[\\w-]{40,512}' },
  { kind: 'google-oauth', starts: ['4/0A'], rest: '[\\w-]{40,256}' },
  {
    kind: 'stripe-key',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    rest: '[A-Za-z0-9]{24,247}',
  },
  { kind: 'stripe-key', starts: ['whsec_'], rest: '[A-Za-z0-9+/]{32,64}=*' },
  {
    kind: 'openai-token',
    starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    rest: '[\\w-]{20,255}',
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'anthropic-key',
    starts: ['sk-ant-'],
    rest: '[\\w-]{32,255}',
    accept: looksGenerated,
    general: true,
  },
  // The preset knows those whose JSON ends on a base64 boundary.
  { kind: '1password-token', starts: ['ops_eyJ'], rest: '[\\w+/-]{100,4096}={0,2}', general: true },
  {
    kind: 'sendgrid-key',
    starts: ['SG.'],
    rest: '[\\w-]{16,32}\\.[\\w-]{16,64}',
    accept: looksGenerated,
    general: true,
  },
  { kind: 'twilio-key', starts: ['SK'], rest: '[0-9a-f]{32}' },
  { kind: 'mailgun-key', starts: ['key-'], rest: '[0-9a-f]{32}' },
  {
    kind: 'doppler-token',
    starts: ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
    rest: '(?:[\\w-]{2,35}\\.)?[A-Za-z0-9]{40,44}',
  },
  {
    kind: 'hashicorp-vault-token',
    starts: ['hvs.', 'hvb.', 'hvr.'],
    rest: '[\\w-]{20,300}',
    accept: looksGenerated,
    general: true,
  },
  { kind: 'square-token', starts: ['EAAA'], rest: '[\\w-]{60}', accept: looksGenerated },
  { kind: 'square-token', starts: ['sq0csp-', 'sq0atp-'], rest: '[\\w-]{22,43}' },
  {
    kind: 'facebook-token',
    starts: ['EAAC', 'EAAM', 'EAAB', 'EAAG'],
    rest: '[A-Za-z0-9]{80,400}',
    accept: looksGenerated,
  },
  { kind: 'cloudflare-token', starts: ['cfat_', 'cfut_', 'cfk_'], rest: '[A-Za-z0-9]{40}[0-9a-f]{8}' },
  { kind: 'cloudflare-token', starts: ['v1.0-'], rest: '[0-9a-f]{24}-[0-9a-f]{140,150}' },
  { kind: 'api-key', starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'], rest: '[0-9a-f]{64}' },
  { kind: 'huggingface-token', starts: ['hf_', 'api_org_'], rest: '[A-Za-z]{34}', general: true },
  { kind: 'replicate-token', starts: ['r8_'], rest: '[A-Za-z0-9]{37}' },
  { kind: 'age-key', starts: ['AGE-SECRET-KEY-1'], rest: '[A-Z0-9]{58}' },
  { kind: 'sentry-token', starts: ['sntrys_'], rest: 'eyJ[\\w+/=-]{20,400}_[A-Za-z0-9+/]{43}' },
  { kind: 'sentry-token', starts: ['sntryu_', 'sntrya_'], rest: '[0-9a-f]{64}' },
  { kind: 'supabase-key', starts: ['sbp_'], rest: '(?:oauth_)?[0-9a-f]{40}' },
  { kind: 'supabase-key', starts: ['sb_secret_'], rest: '[\\w-]{20,64}', accept: looksGenerated },
  {
    kind: 'atlassian-token',
    starts: ['ATATT3', 'ATCTT3', 'ATBB'],
    rest: '[\\w=-]{28,300}',
    accept: looksGenerated,
  },
  {
    kind: 'planetscale-token',
    starts: ['pscale_pw_', 'pscale_tkn_', 'pscale_oauth_'],
    rest: '[\\w.=-]{32,64}',
  },
  { kind: 'pulumi-token', starts: ['pul-'], rest: '[0-9a-f]{40}' },
  { kind: 'dropbox-token', starts: ['sl.B', 'sl.u.'], rest: '[\\w-]{120,1400}' },
  { kind: 'airtable-token', starts: ['pat'], rest: '[A-Za-z0-9]{14}\\.[0-9a-f]{64}' },
  {
    kind: 'hubspot-token',
    starts: ['pat-na', 'pat-eu', 'pat-ap'],
    rest: '\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  },
  { kind: 'langsmith-key', starts: ['lsv2_pt_', 'lsv2_sk_'], rest: '[0-9a-f]{32}_[0-9a-f]{10}' },
  { kind: 'fly-token', starts: ['fm1_', 'fm2_', 'fm1r_', 'fm1a_', 'fo1_'], rest: '[\\w+/-]{40,2048}={0,3}' },
  { kind: 'heroku-key', starts: ['HRKU-'], rest: '[\\w-]{36,80}', accept: looksGenerated },
  { kind: 'buildkite-token', starts: ['bkua_'], rest: '[0-9a-f]{40}' },
  { kind: 'sonar-token', starts: ['squ_', 'sqp_', 'sqa_'], rest: '[0-9a-f]{40}' },
  { kind: 'mapbox-token', starts: ['sk.eyJ'], rest: '[\\w-]{30,300}\\.[\\w-]{16,64}' },
  { kind: 'netlify-token', starts: ['nfp_', 'nfc_', 'nfo_'], rest: '[A-Za-z0-9]{36}' },
  { kind: 'jfrog-token', starts: ['AKCp', 'cmVmdGtu'], rest: '[A-Za-z0-9]{56,80}' },
  { kind: 'nuget-key', starts: ['oy2'], rest: '[a-z0-9]{43}' },
  {
    kind: 'tailscale-key',
    starts: ['tskey-'],
    rest: '[a-z]{2,16}-[A-Za-z0-9]{8,32}(?:-[A-Za-z0-9]{16,64})?',
  },
  // The preset's pattern ends before the last part.
  {
    kind: 'slack-token',
    starts: ['xapp-'],
    rest: '\\d-[A-Z0-9]{8,16}-\\d{8,20}-[a-f0-9]{40,80}',
    general: true,
  },
  {
    kind: 'slack-token',
    starts: [
      'xoxb-',
      'xoxp-',
      'xoxa-',
      'xoxs-',
      'xoxr-',
      'xoxe-',
      'xoxe.xoxp-',
      'xoxe.xoxb-',
      'xoxc-',
      'xoxd-',
    ],
    rest: '[\\w%-]{20,400}',
    accept: looksGenerated,
    general: true,
  },
  { kind: 'pypi-token', starts: ['pypi-AgE'], rest: '[\\w-]{50,1000}' },
  { kind: 'postman-key', starts: ['PMAK-'], rest: '[0-9a-f]{24}-[0-9a-f]{34}' },
  {
    kind: 'new-relic-key',
    starts: ['NRAK-', 'NRJS-', 'NRII-'],
    rest: '[\\w-]{19,40}',
    accept: looksGenerated,
  },
  { kind: 'rubygems-key', starts: ['rubygems_'], rest: '[0-9a-f]{48}' },
  { kind: 'linear-key', starts: ['lin_api_', 'lin_oauth_'], rest: '[A-Za-z0-9]{32,80}', general: true },
  {
    kind: 'shopify-key',
    starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_'],
    rest: '[a-fA-F0-9]{32}',
    general: true,
  },
  {
    kind: 'vercel-token',
    starts: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    rest: '[A-Za-z0-9]{24,80}',
    general: true,
  },
  { kind: 'easypost-key', starts: ['EZAK', 'EZTK'], rest: '[A-Za-z0-9]{54}' },
  { kind: 'flutterwave-key', starts: ['FLWSECK-', 'FLWSECK_TEST-'], rest: '[a-h0-9]{12,40}(?:-X)?' },
  { kind: 'typeform-token', starts: ['tfp_'], rest: '[\\w.-]{44,80}' },
  { kind: 'circleci-token', starts: ['CCIPAT_', 'CCIPRJ_'], rest: '[A-Za-z0-9]{16,32}_[a-f0-9]{40}' },
  { kind: 'prefect-key', starts: ['pnu_', 'pnb_'], rest: '[A-Za-z0-9]{36}' },
  { kind: 'readme-key', starts: ['rdme_'], rest: '[a-z0-9]{70}' },
  { kind: 'scalingo-token', starts: ['tk-us-'], rest: '[\\w-]{48}' },
  { kind: 'infracost-key', starts: ['ico-'], rest: '[A-Za-z0-9]{32}' },
  { kind: 'contentful-token', starts: ['CFPAT-'], rest: '[\\w-]{43}' },
  { kind: 'shippo-token', starts: ['shippo_live_', 'shippo_test_'], rest: '[a-f0-9]{40}' },
  { kind: 'duffel-token', starts: ['duffel_live_', 'duffel_test_'], rest: '[\\w=-]{43}' },
  { kind: 'dynatrace-token', starts: ['dt0c01.', 'dt0s16.'], rest: '[A-Z0-9]{8,24}\\.[A-Z0-9]{64}' },
  { kind: 'brevo-key', starts: ['xkeysib-'], rest: '[a-f0-9]{64}-[A-Za-z0-9]{16}' },
  { kind: 'yandex-token', starts: ['AQVN', 't1.9eu'], rest: '[\\w=-]{35,300}', accept: looksGenerated },
  { kind: 'e2b-key', starts: ['e2b_'], rest: '[a-f0-9]{40}' },
  { kind: 'tavily-key', starts: ['tvly-'], rest: '(?:dev-|prod-)?[A-Za-z0-9]{32}' },
  { kind: 'firecrawl-key', starts: ['fc-'], rest: '[a-f0-9]{32}' },
  // Model providers: OpenRouter, DeepSeek, xAI, Perplexity, Nvidia, Cerebras, Fireworks, Together and their like.
  {
    kind: 'api-key',
    starts: [
      'sk-',
      'xai-',
      'pplx-',
      'nvapi-',
      'csk-',
      'fw_',
      'tgp_v1_',
      'voyage-',
      'pa-',
      'co_',
      'jina_',
      'gsk_',
    ],
    rest: '[\\w-]{32,200}',
    accept: looksGenerated,
    general: true,
  },
];

const ROWS = TABLE.map((row) => ({
  ...row,
  pattern: new RegExp(`(?:${row.starts.map(escaped).join('|')})${row.rest}(?![\\w-])`, 'y'),
}));
const BY_START = new Map<string, typeof ROWS>();
for (const row of ROWS)
  for (const start of row.starts) BY_START.set(start, [...(BY_START.get(start) ?? []), row]);

/** What tokens begin with. */
export const TOKEN_STARTS: readonly string[] = [...BY_START.keys()];

/** `ghp_xxxxxxxxxxxx…`: the shape of a token, shown with nothing in it. */
const MASK = /x{16}|X{16}/;
/** Behind a digit or an underscore, too, never in the middle of a word. */
const IN_WORD = /[A-Za-z]/;

/** No row of the table describes a longer one. */
const LONGEST = 4_200;
/** Longer than any token can be, without an end: base64url data, a line of dashes. */
const ENDLESS = new RegExp(`[\\w-]{${LONGEST}}[\\w-]*`, 'y');

export const TOKENS: Finder = {
  anchors: exactly(TOKEN_STARTS),
  at: (text, place, start) => {
    if (IN_WORD.test(text.charAt(place - 1))) return undefined;
    for (const { kind, pattern, accept, general = false } of BY_START.get(start) ?? []) {
      pattern.lastIndex = place;
      if (!pattern.test(text)) continue;
      const end = pattern.lastIndex;
      const rest = text.slice(place + start.length, end);
      if (MASK.test(rest) || accept?.(rest) === false) continue;
      return { findings: [{ start: place, end, kind, general }], next: end };
    }
    // Nothing that begins here ends where a token has to; asking at each place of such a run takes minutes.
    ENDLESS.lastIndex = place;
    return ENDLESS.test(text) ? { findings: [], next: ENDLESS.lastIndex - LONGEST } : undefined;
  },
};

function escaped(literal: string): string {
  return literal.replace(/[.+/]/g, '\\$&');
}
