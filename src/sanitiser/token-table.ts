import { isPlaceholder, looksGenerated } from './secret-heuristics.js';

/** Tokens that are known by how they begin. */
export interface TokenRow {
  kind: string;
  /** What they begin with, literally. */
  starts: readonly string[];
  /** What follows, at most; nothing that could be part of it may come after it. */
  rest: string;
  /** For beginnings that stand in other words, too. */
  accept?: (rest: string) => boolean;
  /** Few letters, which other base64 has by chance: not beside more of it. */
  common?: boolean;
  general?: boolean;
}

export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** For beginnings that words have, too: both cases and digits, as made by a machine. */
export function isMixed(rest: string): boolean {
  return looksGenerated(rest) && /[a-z]/.test(rest) && /[A-Z]/.test(rest);
}

/** For beginnings that only tokens have: no words, no digits needed. */
export function looksRandom(rest: string): boolean {
  if (looksGenerated(rest) || /^(?:\d+-){2}/.test(rest)) return true;
  return !isPlaceholder(rest, true) && (rest.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])/g)?.length ?? 0) >= 4;
}

/** Prefixes and lengths are the ones that issuers publish for secret scanning, with some room. */
export const TABLE: readonly TokenRow[] = [
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
    accept: looksRandom,
    general: true,
  },
  { kind: 'google-api-key', starts: ['AIza'], rest: '[\\w-]{35}' },
  { kind: 'google-oauth', starts: ['GOCSPX-'], rest: '[\\w-]{28}' },
  { kind: 'google-oauth', starts: ['ya29.'], rest: '[\\w-]{30,2048}' },
  { kind: 'google-oauth', starts: ['1//0'], rest: '[\\w-]{40,512}' },
  { kind: 'google-oauth', starts: ['4/0A'], rest: '[\\w-]{40,256}' },
  {
    kind: 'stripe-key',
    starts: ['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'],
    rest: '[A-Za-z0-9]{24,247}',
  },
  {
    kind: 'stripe-key',
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    rest: '[A-Za-z0-9]{10,23}',
    accept: looksRandom,
  },
  { kind: 'stripe-key', starts: ['whsec_'], rest: '[A-Za-z0-9+/]{32,64}=*' },
  {
    kind: 'openai-token',
    starts: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'],
    rest: '[\\w-]{20,255}',
    accept: looksRandom,
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
  { kind: 'twilio-key', starts: ['SK'], rest: '[0-9a-f]{32}', common: true },
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
    accept: looksRandom,
    general: true,
  },
  { kind: 'square-token', starts: ['EAAA'], rest: '[\\w-]{60}', accept: looksGenerated, common: true },
  { kind: 'square-token', starts: ['sq0csp-', 'sq0atp-'], rest: '[\\w-]{22,43}' },
  {
    kind: 'facebook-token',
    starts: ['EAAC', 'EAAM', 'EAAB', 'EAAG'],
    rest: '[A-Za-z0-9]{80,400}',
    accept: looksGenerated,
    common: true,
  },
  { kind: 'cloudflare-token', starts: ['cfat_', 'cfut_', 'cfk_'], rest: '[A-Za-z0-9]{40}[0-9a-f]{8}' },
  {
    kind: 'cloudflare-token',
    starts: ['v1.0-'],
    rest: '[0-9a-f]{24,64}-[0-9a-f]{140,200}(?:-[0-9a-f]{40,80})?',
  },
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
  {
    kind: 'jfrog-token',
    starts: ['AKCp', 'cmVmd'],
    rest: '[A-Za-z0-9]{56,80}',
    accept: looksGenerated,
    common: true,
  },
  { kind: 'nuget-key', starts: ['oy2'], rest: '[a-z0-9]{43}', common: true },
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
    accept: looksRandom,
    general: true,
  },
  { kind: 'pypi-token', starts: ['pypi-AgE'], rest: '[\\w-]{50,1000}' },
  { kind: 'postman-key', starts: ['PMAK-'], rest: '[0-9a-f]{24}-[0-9a-f]{34}' },
  {
    kind: 'new-relic-key',
    starts: ['NRAK-', 'NRJS-', 'NRII-', 'NRAA-', 'NRIQ-', 'NRRA-'],
    rest: '[\\w-]{19,42}',
    accept: looksRandom,
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
  { kind: 'dynatrace-token', starts: ['dt0c01.', 'dt0s16.'], rest: '[A-Za-z0-9]{8,24}\\.[A-Za-z0-9]{64}' },
  { kind: 'brevo-key', starts: ['xkeysib-', 'xsmtpsib-'], rest: '[a-f0-9]{64}-[A-Za-z0-9]{16}' },
  { kind: 'yandex-token', starts: ['AQVN'], rest: '[\\w=-]{35,300}', accept: looksRandom, common: true },
  { kind: 'yandex-token', starts: ['t1.'], rest: '[\\w-]{20,300}={0,2}\\.[\\w-]{86}={0,2}' },
  { kind: 'e2b-key', starts: ['e2b_'], rest: '[a-f0-9]{40}' },
  { kind: 'tavily-key', starts: ['tvly-'], rest: '(?:dev-|prod-)?[A-Za-z0-9]{32}' },
  { kind: 'firecrawl-key', starts: ['fc-'], rest: '[a-f0-9]{32}' },
  // AWS: what the preset does not know.
  { kind: 'aws-access-key-id', starts: ['ABIA', 'ACCA'], rest: '[A-Z2-7]{16}', common: true },
  {
    kind: 'aws-bedrock-key',
    starts: ['ABSK'],
    rest: '[A-Za-z0-9+/]{100,270}={0,2}',
    accept: looksGenerated,
    common: true,
  },
  { kind: 'aws-mws-token', starts: ['amzn.mws.'], rest: UUID },
  { kind: 'amazon-oauth-secret', starts: ['amzn1.oa2-cs.v1.'], rest: '[0-9a-f]{64}' },
  { kind: 'aws-appsync-key', starts: ['da2-'], rest: '[a-z0-9]{26}' },
  { kind: 'adobe-secret', starts: ['p8e-'], rest: '[\\w-]{32}', accept: looksGenerated },
  { kind: 'alibaba-key', starts: ['LTAI'], rest: '[A-Za-z0-9]{12,24}', accept: looksRandom, common: true },
  { kind: 'tencent-key', starts: ['AKID'], rest: '[A-Za-z0-9]{32}', accept: looksGenerated, common: true },
  {
    kind: '1password-key',
    starts: ['A3-'],
    rest: '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}',
  },
  { kind: 'clickhouse-key', starts: ['4b1d'], rest: '[A-Za-z0-9]{38}', accept: isMixed, common: true },
  { kind: 'clojars-token', starts: ['CLOJARS_'], rest: '[a-z0-9]{60}' },
  { kind: 'crates-token', starts: ['cio'], rest: '[A-Za-z0-9]{32}', accept: isMixed, common: true },
  { kind: 'defined-networking-key', starts: ['dnkey-'], rest: '[\\w=-]{26}-[\\w=-]{52}' },
  { kind: 'dependency-track-key', starts: ['odt_'], rest: '[A-Za-z0-9]{32,255}', accept: looksGenerated },
  { kind: 'frameio-token', starts: ['fio-u-'], rest: '[\\w=-]{64}' },
  { kind: 'gitlab-token', starts: ['GR1348941'], rest: '[\\w-]{20}' },
  { kind: 'gitlab-session', starts: ['_gitlab_session='], rest: '[0-9a-f]{32}' },
  { kind: 'google-api-key', starts: ['AQ.Ab'], rest: '[\\w-]{40,100}', accept: looksGenerated },
  { kind: 'grafana-key', starts: ['eyJrIjoi'], rest: '[A-Za-z0-9]{50,400}={0,3}' },
  { kind: 'harness-token', starts: ['pat.', 'sat.'], rest: '[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}' },
  {
    kind: 'authress-key',
    starts: ['sc_', 'ext_', 'scauth_', 'authress_'],
    rest: '[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[\\w+/=-]{30,120}',
  },
  { kind: 'intra42-secret', starts: ['s-s4t2ud-', 's-s4t2af-'], rest: '[0-9a-f]{64}' },
  { kind: 'openshift-token', starts: ['sha256~'], rest: '[\\w-]{43}' },
  {
    kind: 'plaid-token',
    starts: ['access-sandbox-', 'access-development-', 'access-production-'],
    rest: UUID,
  },
  { kind: 'octopus-key', starts: ['API-'], rest: '[A-Z0-9]{26}', accept: looksGenerated },
  { kind: 'salesforce-token', starts: ['00D'], rest: '[A-Za-z0-9]{12}![\\w.]{80,120}', common: true },
  { kind: 'settlemint-token', starts: ['sm_aat_', 'sm_pat_', 'sm_sat_'], rest: '[A-Za-z0-9]{16}' },
  { kind: 'sourcegraph-token', starts: ['sgp_'], rest: '(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}' },
  { kind: 'segment-token', starts: ['sgp_'], rest: '[A-Za-z0-9]{64}' },
  { kind: 'stackhawk-key', starts: ['hawk.'], rest: '[\\w-]{20}\\.[\\w-]{20}' },
  { kind: 'teamcity-token', starts: ['eyJ0eXAiOiAiVENWMiJ9.'], rest: '[\\w-]{36}\\.[\\w-]{48}' },
  { kind: 'twitch-key', starts: ['live_'], rest: '\\d{8,12}_[A-Za-z0-9]{30,36}' },
  // Percent signs tell it from the zeros of other base64.
  { kind: 'twitter-token', starts: ['A'.repeat(22)], rest: '[A-Za-z0-9]{0,80}%[\\w%]{20,100}' },
  { kind: 'pixie-key', starts: ['px-api-', 'px-dep-'], rest: UUID },
  { kind: 'adafruit-key', starts: ['aio_'], rest: '[A-Za-z0-9]{28}', accept: looksGenerated },
  { kind: 'apify-token', starts: ['apify_api_'], rest: '[A-Za-z0-9]{36}' },
  { kind: 'bitbucket-token', starts: ['BBDC-'], rest: '[\\w+/@-]{40,48}' },
  { kind: 'docker-token', starts: ['dckr_oat_'], rest: '[\\w-]{27,40}' },
  { kind: 'elevenlabs-key', starts: ['sk_'], rest: '[0-9a-f]{48}' },
  {
    kind: 'figma-token',
    starts: ['figu_', 'figoh_', 'figor_'],
    rest: '[\\w-]{30,60}',
    accept: looksGenerated,
  },
  { kind: 'mailersend-key', starts: ['mlsn.'], rest: '[0-9a-f]{64}' },
  { kind: 'neon-key', starts: ['napi_'], rest: '[a-z0-9]{60,70}' },
  { kind: 'password', starts: ['npg_'], rest: '[A-Za-z0-9]{12,16}', accept: isMixed },
  { kind: 'notion-token', starts: ['secret_'], rest: '[A-Za-z0-9]{43}', accept: isMixed },
  { kind: 'packagist-token', starts: ['packagist_'], rest: '[a-z]{3}_[0-9a-f]{60,80}' },
  { kind: 'pinecone-key', starts: ['pcsk_'], rest: '\\w{60,90}', accept: looksGenerated },
  { kind: 'posthog-key', starts: ['phx_'], rest: '[A-Za-z0-9]{43,50}', accept: looksGenerated },
  { kind: 'render-key', starts: ['rnd_'], rest: '[A-Za-z0-9]{28,32}', accept: isMixed },
  { kind: 'resend-key', starts: ['re_'], rest: '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', accept: isMixed },
  { kind: 'deno-token', starts: ['ddp_', 'ddo_'], rest: '[A-Za-z0-9]{36}' },
  { kind: 'vercel-token', starts: ['vercel_blob_rw_'], rest: '[A-Za-z0-9]{16}_[A-Za-z0-9]{30,40}' },
  { kind: 'wakatime-key', starts: ['waka_'], rest: UUID },
  { kind: 'intercom-token', starts: ['dG9rO'], rest: '[\\w+/-]{54,56}=?', accept: isMixed, common: true },
  // PEM in base64, as kubeconfigs and CI settings have it.
  {
    kind: 'private-key',
    starts: [
      'LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt',
      'LS0tLS1CRUdJTiBEU0EgUFJJVkFURSBLRVkt',
      'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t',
      'LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t',
      'LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ',
      'LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVkt',
    ],
    rest: '[A-Za-z0-9+/]{60,20000}={0,2}',
  },
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
