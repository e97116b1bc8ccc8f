import { isPlaceholder, looksGenerated } from './secret-heuristics.js';

/** A token with a known beginning. */
interface TokenRow {
  kind: string;
  /** Literal beginnings. */
  starts: readonly string[];
  /** Sticky. The token must not be followed by characters that could belong to it. */
  pattern: RegExp;
  /** For beginnings that also occur in other words. */
  accept?: ((rest: string) => boolean) | undefined;
  /** Has a short start, which also occurs in base64 by chance: not accepted next to more base64. */
  common?: boolean;
  /** See `Finding`. */
  general?: boolean;
}

/** @param list the starts, separated by spaces */
function row(kind: string, list: string, rest: string, accept?: TokenRow['accept']): TokenRow {
  const starts = list.split(' ');
  const literals = starts.map((start) => start.replace(/[.+/$]/g, '\\$&'));
  return { kind, starts, pattern: new RegExp(`(?:${literals.join('|')})${rest}(?![\\w-])`, 'y'), accept };
}
const common = (...args: Parameters<typeof row>): TokenRow => ({ ...row(...args), common: true });
const general = (...args: Parameters<typeof row>): TokenRow => ({ ...row(...args), general: true });

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** For beginnings that words share: looks generated, with both cases. */
function isMixed(rest: string): boolean {
  return looksGenerated(rest) && /[a-z]/.test(rest) && /[A-Z]/.test(rest);
}

/** For beginnings that only tokens have: digits are not needed. */
function looksRandom(rest: string): boolean {
  if (looksGenerated(rest) || /^(?:\d+-){2}/.test(rest)) return true;
  return !isPlaceholder(rest, true) && changesOfCase(rest) >= 4;
}

function changesOfCase(text: string): number {
  return text.match(/[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])/g)?.length ?? 0;
}

/** Prefixes and lengths are the ones that issuers publish for secret scanning, with some room. */
export const TOKEN_TABLE: readonly TokenRow[] = [
  general('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{36,255}'),
  general('github-token', 'github_pat_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{40,90}'),
  // Routable tokens have three parts.
  general(
    'gitlab-token',
    'glpat- glrt- gldt- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glrtr- glffct-',
    '[\\w-]{20,300}(?:\\.[\\w-]{2}\\.[\\w-]{7,12})?',
    looksRandom,
  ),
  row('google-api-key', 'AIza', '[\\w-]{35}'),
  row('google-oauth', 'GOCSPX-', '[\\w-]{28}'),
  row('google-oauth', 'ya29.', '[\\w-]{30,2048}'),
  row('google-oauth', '1//0', '[\\w-]{40,512}'),
  row('google-oauth', '4/0A', '[\\w-]{40,256}'),
  row('stripe-key', 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_', '[A-Za-z0-9]{24,247}'),
  row('stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_', '[A-Za-z0-9]{10,23}', looksRandom),
  row('stripe-key', 'whsec_', '[A-Za-z0-9+/]{32,64}=*'),
  general('openai-token', 'sk-proj- sk-svcacct- sk-admin-', '[\\w-]{20,255}', looksRandom),
  general('anthropic-key', 'sk-ant-', '[\\w-]{32,255}', looksGenerated),
  // The preset only finds those whose JSON ends on a base64 boundary.
  general('1password-token', 'ops_eyJ', '[\\w+/-]{100,4096}={0,2}'),
  general('sendgrid-key', 'SG.', '[\\w-]{16,32}\\.[\\w-]{16,64}', looksGenerated),
  common('twilio-key', 'SK', '[0-9a-f]{32}'),
  row('mailgun-key', 'key-', '[0-9a-f]{32}'),
  row(
    'doppler-token',
    'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.',
    '(?:[\\w-]{2,35}\\.)?[A-Za-z0-9]{40,44}',
  ),
  general('hashicorp-vault-token', 'hvs. hvb. hvr.', '[\\w-]{20,300}', looksRandom),
  common('square-token', 'EAAA', '[\\w-]{60}', looksGenerated),
  row('square-token', 'sq0csp- sq0atp-', '[\\w-]{22,43}'),
  common('facebook-token', 'EAAC EAAM EAAB EAAG', '[A-Za-z0-9]{80,400}', looksGenerated),
  row('cloudflare-token', 'cfat_ cfut_ cfk_', '[A-Za-z0-9]{40}[0-9a-f]{8}'),
  row('cloudflare-token', 'v1.0-', '[0-9a-f]{24,64}-[0-9a-f]{140,200}(?:-[0-9a-f]{40,80})?'),
  row('api-key', 'dop_v1_ doo_v1_ dor_v1_', '[0-9a-f]{64}'),
  general('huggingface-token', 'hf_ api_org_', '[A-Za-z]{34}'),
  row('replicate-token', 'r8_', '[A-Za-z0-9]{37}'),
  row('age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{58}'),
  row('sentry-token', 'sntrys_', 'eyJ[\\w+/=-]{20,400}_[A-Za-z0-9+/]{43}'),
  row('sentry-token', 'sntryu_ sntrya_', '[0-9a-f]{64}'),
  row('supabase-key', 'sbp_', '(?:oauth_)?[0-9a-f]{40}'),
  row('supabase-key', 'sb_secret_', '[\\w-]{20,64}', looksGenerated),
  row('atlassian-token', 'ATATT3 ATCTT3 ATBB', '[\\w=-]{28,300}', looksGenerated),
  row('planetscale-token', 'pscale_pw_ pscale_tkn_ pscale_oauth_', '[\\w.=-]{32,64}'),
  row('pulumi-token', 'pul-', '[0-9a-f]{40}'),
  row('dropbox-token', 'sl.B sl.u.', '[\\w-]{120,1400}'),
  row('airtable-token', 'pat', '[A-Za-z0-9]{14}\\.[0-9a-f]{64}'),
  row('hubspot-token', 'pat-na pat-eu pat-ap', '\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'),
  row('langsmith-key', 'lsv2_pt_ lsv2_sk_', '[0-9a-f]{32}_[0-9a-f]{10}'),
  row('fly-token', 'fm1_ fm2_ fm1r_ fm1a_ fo1_', '[\\w+/-]{40,2048}={0,3}'),
  row('heroku-key', 'HRKU-', '[\\w-]{36,80}', looksGenerated),
  row('buildkite-token', 'bkua_', '[0-9a-f]{40}'),
  row('sonar-token', 'squ_ sqp_ sqa_', '[0-9a-f]{40}'),
  row('mapbox-token', 'sk.eyJ', '[\\w-]{30,300}\\.[\\w-]{16,64}'),
  row('netlify-token', 'nfp_ nfc_ nfo_', '[A-Za-z0-9]{36}'),
  common('jfrog-token', 'AKCp cmVmd', '[A-Za-z0-9]{56,80}', looksGenerated),
  common('nuget-key', 'oy2', '[a-z0-9]{43}'),
  row('tailscale-key', 'tskey-', '[a-z]{2,16}-[A-Za-z0-9]{8,32}(?:-[A-Za-z0-9]{16,64})?'),
  // The preset's pattern ends before the last part.
  general('slack-token', 'xapp-', '\\d-[A-Z0-9]{8,16}-\\d{8,20}-[a-f0-9]{40,80}'),
  general(
    'slack-token',
    'xoxb- xoxp- xoxa- xoxs- xoxr- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd-',
    '[\\w%-]{20,400}',
    looksRandom,
  ),
  row('pypi-token', 'pypi-AgE', '[\\w-]{50,1000}'),
  row('postman-key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'),
  row('new-relic-key', 'NRAK- NRJS- NRII- NRAA- NRIQ- NRRA-', '[\\w-]{19,42}', looksRandom),
  row('rubygems-key', 'rubygems_', '[0-9a-f]{48}'),
  general('linear-key', 'lin_api_ lin_oauth_', '[A-Za-z0-9]{32,80}'),
  general('shopify-key', 'shpat_ shpca_ shppa_ shpss_ shptka_', '[a-fA-F0-9]{32}'),
  general('vercel-token', 'vcp_ vci_ vca_ vcr_ vck_', '[A-Za-z0-9]{24,80}'),
  row('easypost-key', 'EZAK EZTK', '[A-Za-z0-9]{54}'),
  row('flutterwave-key', 'FLWSECK- FLWSECK_TEST-', '[a-h0-9]{12,40}(?:-X)?'),
  row('typeform-token', 'tfp_', '[\\w.-]{44,80}'),
  row('circleci-token', 'CCIPAT_ CCIPRJ_', '[A-Za-z0-9]{16,32}_[a-f0-9]{40}'),
  row('prefect-key', 'pnu_ pnb_', '[A-Za-z0-9]{36}'),
  row('readme-key', 'rdme_', '[a-z0-9]{70}'),
  row('scalingo-token', 'tk-us-', '[\\w-]{48}'),
  row('infracost-key', 'ico-', '[A-Za-z0-9]{32}'),
  row('contentful-token', 'CFPAT-', '[\\w-]{43}'),
  row('shippo-token', 'shippo_live_ shippo_test_', '[a-f0-9]{40}'),
  row('duffel-token', 'duffel_live_ duffel_test_', '[\\w=-]{43}'),
  row('dynatrace-token', 'dt0c01. dt0s16.', '[A-Za-z0-9]{8,24}\\.[A-Za-z0-9]{64}'),
  row('brevo-key', 'xkeysib- xsmtpsib-', '[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  common('yandex-token', 'AQVN', '[\\w=-]{35,300}', looksRandom),
  row('yandex-token', 't1.', '[\\w-]{20,300}={0,2}\\.[\\w-]{86}={0,2}'),
  row('e2b-key', 'e2b_', '[a-f0-9]{40}'),
  row('tavily-key', 'tvly-', '(?:dev-|prod-)?[A-Za-z0-9]{32}'),
  row('firecrawl-key', 'fc-', '[a-f0-9]{32}'),
  // AWS: tokens that the preset does not find.
  common('aws-access-key-id', 'ABIA ACCA', '[A-Z2-7]{16}'),
  common('aws-bedrock-key', 'ABSK', '[A-Za-z0-9+/]{100,270}={0,2}', looksGenerated),
  row('aws-mws-token', 'amzn.mws.', UUID),
  row('amazon-oauth-secret', 'amzn1.oa2-cs.v1.', '[0-9a-f]{64}'),
  row('aws-appsync-key', 'da2-', '[a-z0-9]{26}'),
  row('adobe-secret', 'p8e-', '[\\w-]{32}', looksGenerated),
  common('alibaba-key', 'LTAI', '[A-Za-z0-9]{12,24}', looksRandom),
  common('tencent-key', 'AKID', '[A-Za-z0-9]{32}', looksGenerated),
  row('1password-key', 'A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'),
  common('clickhouse-key', '4b1d', '[A-Za-z0-9]{38}', isMixed),
  row('clojars-token', 'CLOJARS_', '[a-z0-9]{60}'),
  common('crates-token', 'cio', '[A-Za-z0-9]{32}', isMixed),
  row('defined-networking-key', 'dnkey-', '[\\w=-]{26}-[\\w=-]{52}'),
  row('dependency-track-key', 'odt_', '[A-Za-z0-9]{32,255}', looksGenerated),
  row('frameio-token', 'fio-u-', '[\\w=-]{64}'),
  row('gitlab-token', 'GR1348941', '[\\w-]{20}'),
  row('gitlab-session', '_gitlab_session=', '[0-9a-f]{32}'),
  row('google-api-key', 'AQ.Ab', '[\\w-]{40,100}', looksGenerated),
  row('grafana-key', 'eyJrIjoi', '[A-Za-z0-9]{50,400}={0,3}'),
  row('harness-token', 'pat. sat.', '[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'),
  row(
    'authress-key',
    'sc_ ext_ scauth_ authress_',
    '[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[\\w+/=-]{30,120}',
  ),
  row('intra42-secret', 's-s4t2ud- s-s4t2af-', '[0-9a-f]{64}'),
  row('openshift-token', 'sha256~', '[\\w-]{43}'),
  row('plaid-token', 'access-sandbox- access-development- access-production-', UUID),
  row('octopus-key', 'API-', '[A-Z0-9]{26}', looksGenerated),
  common('salesforce-token', '00D', '[A-Za-z0-9]{12}![\\w.]{80,120}'),
  row('settlemint-token', 'sm_aat_ sm_pat_ sm_sat_', '[A-Za-z0-9]{16}'),
  row('sourcegraph-token', 'sgp_', '(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}'),
  row('segment-token', 'sgp_', '[A-Za-z0-9]{64}'),
  row('stackhawk-key', 'hawk.', '[\\w-]{20}\\.[\\w-]{20}'),
  row('teamcity-token', 'eyJ0eXAiOiAiVENWMiJ9.', '[\\w-]{36}\\.[\\w-]{48}'),
  row('twitch-key', 'live_', '\\d{8,12}_[A-Za-z0-9]{30,36}'),
  // Percent signs distinguish it from the zeros of other base64.
  row('twitter-token', 'A'.repeat(22), '[A-Za-z0-9]{0,80}%[\\w%]{20,100}'),
  row('pixie-key', 'px-api- px-dep-', UUID),
  row('adafruit-key', 'aio_', '[A-Za-z0-9]{28}', looksGenerated),
  row('apify-token', 'apify_api_', '[A-Za-z0-9]{36}'),
  row('bitbucket-token', 'BBDC-', '[\\w+/@-]{40,48}'),
  row('docker-token', 'dckr_oat_', '[\\w-]{27,40}'),
  row('elevenlabs-key', 'sk_', '[0-9a-f]{48}'),
  row('figma-token', 'figu_ figoh_ figor_', '[\\w-]{30,60}', looksGenerated),
  row('mailersend-key', 'mlsn.', '[0-9a-f]{64}'),
  row('neon-key', 'napi_', '[a-z0-9]{60,70}'),
  row('password', 'npg_', '[A-Za-z0-9]{12,16}', isMixed),
  row('notion-token', 'secret_', '[A-Za-z0-9]{43}', isMixed),
  row('packagist-token', 'packagist_', '[a-z]{3}_[0-9a-f]{60,80}'),
  row('pinecone-key', 'pcsk_', '\\w{60,90}', looksGenerated),
  row('posthog-key', 'phx_', '[A-Za-z0-9]{43,50}', looksGenerated),
  row('render-key', 'rnd_', '[A-Za-z0-9]{28,32}', isMixed),
  row('resend-key', 're_', '[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', isMixed),
  row('deno-token', 'ddp_ ddo_', '[A-Za-z0-9]{36}'),
  row('vercel-token', 'vercel_blob_rw_', '[A-Za-z0-9]{16}_[A-Za-z0-9]{30,40}'),
  row('wakatime-key', 'waka_', UUID),
  common('intercom-token', 'dG9rO', '[\\w+/-]{54,56}=?', isMixed),
  // PEM in base64, as in kubeconfigs and CI settings.
  row(
    'private-key',
    'LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt LS0tLS1CRUdJTiBEU0EgUFJJVkFURSBLRVkt LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRVkt',
    '[A-Za-z0-9+/]{60,20000}={0,2}',
  ),
  // Model providers: OpenRouter, DeepSeek, xAI, Perplexity, Nvidia, Cerebras, Fireworks, Together and others.
  general(
    'api-key',
    'sk- xai- pplx- nvapi- csk- fw_ tgp_v1_ voyage- pa- co_ jina_ gsk_',
    '[\\w-]{32,200}',
    looksGenerated,
  ),
  // Services, by their names. Lengths leave some room.
  row('aiven-password', 'AVNS_', '[\\w-]{15,30}', looksRandom),
  row('akamai-token', 'akab-', '[a-z0-9]{16}-[a-z0-9]{16}'),
  row('anyscale-secret', 'esecret_', '[a-z0-9]{24,40}'),
  row('aws-bedrock-key', 'bedrock-api-key-', '[A-Za-z0-9+/]{60,4000}={0,2}'),
  row('aws-session-token', 'IQoJb3JpZ2luX2Vj FwoGZXIvYXdzE FQoGZXIvYXdzE', '[A-Za-z0-9+/]{60,4000}={0,2}'),
  row('axiom-token', 'xaat- xapt-', UUID),
  row('backblaze-key', 'K000 K001 K002 K003 K004 K005', '[A-Za-z0-9+/]{27}', isMixed),
  row('braintree-token', 'access_token$production$ access_token$sandbox$', '[a-z0-9]{16}\\$[0-9a-f]{32}'),
  row('brave-key', 'BSA', '[\\w-]{26,30}', isMixed),
  row('browserbase-key', 'bb_live_ bb_test_', '[\\w-]{16,48}', looksRandom),
  row('builder-key', 'bpk-', '[0-9a-f]{32}'),
  row('chroma-key', 'ck-', '[A-Za-z0-9]{40,50}', isMixed),
  row('clickup-token', 'pk_', '\\d{4,12}_[A-Z0-9]{32}'),
  row('cockroach-key', 'CCDB1_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{40}'),
  row('dash0-token', 'auth_', '[A-Za-z0-9]{30,40}', isMixed),
  row('daytona-key', 'dtn_', '[0-9a-f]{64}'),
  row('elastic-key', 'essu_', '[\\w+/-]{40,120}={0,2}', isMixed),
  row('firehydrant-token', 'fhb-', '[0-9a-f]{32}'),
  row('flagsmith-key', 'ser.', '[A-Za-z0-9]{20,24}', isMixed),
  row('helicone-key', 'sk-helicone-', '[a-z0-9]{7}(?:-[a-z0-9]{7}){3}'),
  row('honeycomb-key', 'hcaik_ hcbik_ hcxik_ hcaic_ hcamk_ hcalk_', '[a-z0-9]{26,64}(?::[A-Za-z0-9]{32})?'),
  row('imagekit-key', 'private_', '[A-Za-z0-9+/]{26,30}={0,2}', isMixed),
  row('inngest-key', 'signkey-prod- signkey-test- signkey-branch-', '[0-9a-f]{32,64}'),
  row('launchdarkly-key', 'sdk- mob- api-', UUID),
  row('llamacloud-key', 'llx-', '[A-Za-z0-9]{40,60}'),
  row('mem0-key', 'm0-', '[A-Za-z0-9]{36,48}', isMixed),
  row('modal-secret', 'as- ak-', '[A-Za-z0-9]{22}', isMixed),
  // As `mempalace serve token add` prints it. A placeholder's letters occur in one of 200,000 by chance.
  row('mempalace-token', 'mempalace_', '[\\w-]{43}', (rest) => changesOfCase(rest) >= 5),
  row('mongodb-secret', 'mdb_sa_sk_', '[\\w-]{30,60}'),
  row('nomic-key', 'nk-', '[\\w-]{40,48}', isMixed),
  row('onfido-token', 'api_live. api_sandbox. api_live_us. api_live_ca.', '[\\w-]{11}\\.[\\w-]{32}'),
  row('ory-token', 'ory_at_ ory_rt_ ory_ac_ ory_pat_ ory_st_', '[\\w.-]{20,120}', looksRandom),
  row(
    'paddle-key',
    'pdl_live_apikey_ pdl_sdbx_apikey_ pdl_test_apikey_',
    '[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}',
  ),
  row('paddle-key', 'pdl_ntfset_', '[a-z0-9]{26}_[A-Za-z0-9+/]{32}'),
  row('persona-key', 'persona_production_ persona_sandbox_', '[\\w-]{20,60}', looksRandom),
  row(
    'polar-token',
    'polar_oat_ polar_pat_ polar_at_u_ polar_rt_u_ polar_whs_',
    '[\\w-]{20,60}',
    looksRandom,
  ),
  row('pubnub-key', 'sec-c-', '[A-Za-z0-9+/]{40,60}={0,2}', isMixed),
  row('razorpay-key', 'rzp_live_ rzp_test_', '[A-Za-z0-9]{14,20}', looksRandom),
  row('rootly-token', 'rootly_', '[0-9a-f]{64}'),
  row('runpod-key', 'rpa_', '[A-Z0-9a-z]{40,50}', looksRandom),
  row('sanity-token', 'sk', '[A-Za-z0-9]{178}'),
  row('snyk-token', 'snyk_uat. snyk_sat.', '[0-9a-f]{8}\\.[\\w.-]{60,160}'),
  row('socket-token', 'sktsec_', '[\\w-]{30,60}_api'),
  row('api-key', 'sk_live_ sk_test_ sk_car_', '[\\w-]{20,80}', isMixed),
  row('sourcegraph-license', 'slk_', '[0-9a-f]{64}'),
  row('statsig-key', 'secret- console-', '[A-Za-z0-9]{40,50}', isMixed),
  row('stripe-key', 'sk_', '[A-Za-z]{28}', isMixed),
  row('telnyx-key', 'KEY0', '[A-Z0-9]{27}_[A-Za-z0-9]{22}'),
  row('trigger-key', 'tr_dev_ tr_prod_ tr_stg_ tr_pat_', '[A-Za-z0-9]{20,48}', looksRandom),
  row('wandb-key', 'wandb_v1_', '\\w{60,100}'),
  row('xata-key', 'xau_', '[A-Za-z0-9]{36,48}', isMixed),
  common('adyen-key', 'AQE', '[A-Za-z0-9+/=]{50,160}-[A-Za-z0-9+/=]{40,64}-[\\w{}<>.-]{12,24}'),
  common('digitalocean-key', 'DO00 DO80', '[A-Z0-9]{16}', looksRandom),
];
