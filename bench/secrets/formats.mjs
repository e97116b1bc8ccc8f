/**
 * Formats of vendors' keys, in addition to `shapes.mjs`. If a vendor's documentation was read, its address is
 * after the format. The others were not looked up: their prefixes are well known, their lengths may be wrong.
 *
 * @typedef {[vendor: string, make: () => string, source?: string]} Format
 * @param {ReturnType<import('./shapes.mjs').makeShapes>} shapes
 * @returns {{ known: Format[], heldOut: Format[] }} no rule may be written for a format that is held out
 */
export function formatsOf({ alnum, hex, safe, base64, uuid, from, json64, LOWER, UPPER, DIGITS, BASE32 }) {
  const upper = (length) => from(UPPER + DIGITS, length);
  const lower = (length) => from(LOWER + DIGITS, length);
  const digits = (length) => from(DIGITS, length);
  return {
    known: [
      [
        'bedrock short-term',
        () =>
          `bedrock-api-key-${Buffer.from(`bedrock.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Credential=${upper(20)}&X-Amz-Signature=${hex(64)}`).toString('base64')}`,
        'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-how.html (a signed URL; the prefix not in it)',
      ],
      [
        'aws session token',
        () => `IQoJb3JpZ2luX2VjE${base64(300)}`,
        'https://docs.aws.amazon.com/sdk-for-sap-abap/v1/api/latest/sts/model/_AWS1_CL_STSGETSESSIONTOKENRSP.html (length not fixed; the beginning not in it)',
      ],
      ['aws session token, old', () => `FwoGZXIvYXdzE${base64(240)}`],
      [
        'mongodb atlas service account',
        () => `mdb_sa_sk_${safe(40)}`,
        'https://docs.amazonaws.cn/secretsmanager/latest/userguide/mes-partner-MongoDBAtlasServiceAccount.md (the id)',
      ],
      ['browserbase', () => `bb_live_${safe(27)}`],
      ['sourcegraph license', () => `slk_${hex(64)}`],
      [
        'wandb',
        () => `wandb_v1_${alnum(27)}_${alnum(49)}`,
        'https://github.com/wandb/wandb/issues/11614 (86 characters)',
      ],
      [
        'launchdarkly sdk',
        () => `sdk-${uuid()}`,
        'https://launchdarkly.com/docs/home/account/environment/keys',
      ],
      [
        'launchdarkly mobile',
        () => `mob-${uuid()}`,
        'https://launchdarkly.com/docs/home/account/environment/keys',
      ],
      ['launchdarkly api', () => `api-${uuid()}`],
      ['clickup', () => `pk_${digits(8)}_${upper(32)}`, 'https://developer.clickup.com/docs/authentication'],
      [
        'asana pat',
        () => `2/${digits(16)}/${digits(16)}:${hex(32)}`,
        'https://developers.asana.com/docs/personal-access-token (opaque)',
      ],
      ['asana pat, old', () => `1/${digits(16)}:${hex(32)}`],
      ['asana client secret', () => `ASANA_CLIENT_SECRET=«${hex(32)}»`],
      ['discord client secret', () => `DISCORD_CLIENT_SECRET=«${safe(32)}»`],
      ['discord client secret in code', () => `clientSecret: "«${safe(32)}»"`],
      [
        'telegram url',
        () => `https://api.telegram.org/bot«${from('123456789', 10)}:AA${safe(33)}»/sendMessage`,
      ],
      ['telegram', () => `${from('123456789', 9)}:AA${safe(33)}`],
      [
        'paddle',
        () => `pdl_live_apikey_01${lower(24)}_${alnum(22)}_${alnum(3)}`,
        'https://developer.paddle.com/api-reference/about/authentication',
      ],
      ['paddle webhook', () => `pdl_ntfset_01${lower(24)}_${alnum(32)}`],
      ['honeycomb ingest', () => `hcaik_01${lower(56)}`, 'https://docs.honeycomb.io/api/authentication'],
      [
        'honeycomb management',
        () => `hcamk_01${lower(24)}:${alnum(32)}`,
        'https://docs.honeycomb.io/api/authentication',
      ],
      [
        'polar',
        () => `polar_oat_${alnum(43)}`,
        'https://www.mintlify.com/polarsource/polar/integrate/authentication',
      ],
      [
        'polar pat',
        () => `polar_pat_${alnum(43)}`,
        'https://www.mintlify.com/polarsource/polar/integrate/authentication',
      ],
      ['ory', () => `ory_at_${safe(43)}.${safe(43)}`, 'https://github.com/ory/hydra/issues/2845'],
      ['ory pat', () => `ory_pat_${alnum(32)}`],
      ['axiom', () => `xaat-${uuid()}`, 'https://axiom.co/docs/reference/tokens (kinds, not the beginning)'],
      ['axiom personal', () => `xapt-${uuid()}`],
      [
        'inngest signing',
        () => `signkey-prod-${hex(64)}`,
        'https://www.inngest.com/docs/platform/signing-keys',
      ],
      ['trigger.dev', () => `tr_prod_${alnum(20)}`],
      ['clerk', () => `sk_live_${alnum(40)}`],
      [
        'svix',
        () => `whsec_${base64(24)}`,
        'https://app.unpkg.com/svix@1.86.0/files/src/models/operationalWebhookEndpointSecretOut.ts',
      ],
      ['snyk', () => `snyk_uat.${hex(8)}.${safe(80)}`],
      ['xata', () => `xau_${alnum(43)}`],
      ['aiven', () => `AVNS_${safe(19)}`],
      ['cockroach', () => `CCDB1_${alnum(22)}_${alnum(40)}`],
      [
        'turso',
        () =>
          `${json64({ alg: 'EdDSA', typ: 'JWT' })}.${json64({ a: 'rw', iat: 1.7e9, id: uuid() })}.${safe(86)}`,
      ],
      ['qdrant', () => `${json64({ alg: 'HS256', typ: 'JWT' })}.${json64({ access: 'm' })}.${safe(43)}`],
      [
        'jwt, typ first',
        () => `${json64({ typ: 'JWT', alg: 'ES256', kid: hex(8) })}.${json64({ sub: hex(8) })}.${safe(86)}`,
      ],
      [
        'jwt, kid first',
        () => `${json64({ kid: hex(8), alg: 'ES256' })}.${json64({ sub: hex(8) })}.${safe(86)}`,
      ],
      [
        'jwt with spaces',
        () =>
          `${Buffer.from('{ "typ": "JWT", "alg": "HS256" }').toString('base64url')}.${Buffer.from(`{ "sub": "${hex(8)}" }`).toString('base64url')}.${safe(43)}`,
      ],
      [
        'jwt with new lines',
        () =>
          `${Buffer.from('{\r\n "typ": "JWT"\r\n}').toString('base64url')}.${Buffer.from(`{\n  "sub": "${hex(8)}"\n}`).toString('base64url')}.${safe(43)}`,
      ],
      ['convex', () => `prod:happy-otter-123|${safe(60)}`],
      ['modal', () => `as-${alnum(22)}`],
      ['runpod', () => `rpa_${upper(44)}`],
      ['daytona', () => `dtn_${hex(64)}`],
      ['llama cloud', () => `llx-${alnum(48)}`],
      ['anyscale', () => `esecret_${lower(26)}`],
      ['mem0', () => `m0-${alnum(40)}`],
      ['nomic', () => `nk-${safe(43)}`],
      ['chroma', () => `ck-${alnum(44)}`],
      ['brave search', () => `BSA${safe(28)}`],
      ['cartesia', () => `sk_car_${alnum(22)}`],
      ['fal', () => `FAL_KEY=«${uuid()}:${hex(32)}»`],
      ['zhipu', () => `ZHIPU_API_KEY=«${hex(32)}.${alnum(16)}»`],
      ['helicone', () => `sk-helicone-${lower(7)}-${lower(7)}-${lower(7)}-${lower(7)}`],
      ['github oauth secret', () => `GITHUB_CLIENT_SECRET=«${hex(40)}»`],
      ['statsig', () => `secret-${alnum(44)}`],
      ['unleash', () => `default:production.${hex(56)}`],
      ['flagsmith', () => `ser.${alnum(22)}`],
      ['sanity', () => `sk${alnum(178)}`],
      ['builder.io', () => `bpk-${hex(32)}`],
      ['revenuecat', () => `sk_${from(LOWER + UPPER, 28)}`],
      ['razorpay', () => `RAZORPAY_KEY_SECRET=«${alnum(24)}»`],
      ['razorpay id', () => `rzp_live_${alnum(14)}`],
      ['adyen', () => `AQE${alnum(60)}-${base64(32)}-${alnum(16)}`],
      ['braintree', () => `access_token$production$${lower(16)}$${hex(32)}`],
      ['telnyx', () => `KEY01${upper(26)}_${alnum(22)}`],
      ['onfido', () => `api_live.${alnum(11)}.${alnum(32)}`],
      ['persona', () => `persona_production_${lower(8)}-${lower(4)}-${lower(20)}`],
      ['pubnub', () => `sec-c-${base64(36)}`],
      ['cloudinary', () => `cloudinary://${digits(15)}:«${safe(27)}»@demo`],
      ['imagekit', () => `private_${base64(21)}`],
      ['backblaze', () => `K00${digits(1)}${alnum(27)}`],
      ['digitalocean spaces', () => `DO00${upper(16)}`],
      ['scaleway', () => `SCW_SECRET_KEY=«${uuid()}»`],
      ['akamai', () => `akab-${lower(16)}-${lower(16)}`],
      ['dash0', () => `auth_${alnum(32)}`],
      [
        'grafana cloud',
        () =>
          `glc_${Buffer.from(JSON.stringify({ o: '1', n: 'a', k: alnum(24), m: { r: 'eu' } })).toString('base64')}`,
      ],
      ['rootly', () => `rootly_${hex(64)}`],
      ['firehydrant', () => `fhb-${hex(32)}`],
      ['socket', () => `sktsec_${safe(40)}_api`],
      ['rapidapi', () => `X-RapidAPI-Key: «${hex(10)}msh${hex(15)}p${hex(6)}jsn${hex(12)}»`],
      ['okta', () => `Authorization: SSWS «00${safe(40)}»`],
      ['elastic cloud', () => `essu_${Buffer.from(`${alnum(20)}:${alnum(22)}`).toString('base64')}`],
      ['terraform stack', () => `${alnum(14)}.atlasv1.${alnum(67)}`],
      ['datadog pub/app', () => `DD_APP_KEY=«${hex(40)}»`],
      ['mux', () => `MUX_TOKEN_SECRET=«${base64(56)}»`],
      ['ably', () => `${alnum(6)}.${alnum(6)}:${safe(43)}`],
      ['livekit', () => `LIVEKIT_API_SECRET=«${alnum(44)}»`],
      [
        'azure storage',
        () =>
          `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=«${base64(64)}»;EndpointSuffix=core.windows.net`,
      ],
      [
        'azure sas',
        () =>
          `https://shop.blob.core.windows.net/a?sv=2022-11-02&se=2027-01-01&sig=«${encodeURIComponent(base64(32))}»`,
      ],
      [
        'nextcloud app password',
        () => `app password: «${[5, 5, 5, 5, 5].map((length) => alnum(length)).join('-')}»`,
      ],
      ['gmail app password', () => `GMAIL_APP_PASSWORD=«${from(LOWER, 16)}»`],
      ['stripe webhook', () => `whsec_${hex(64)}`],
      ['lemon squeezy', () => `LEMONSQUEEZY_WEBHOOK_SECRET=«${alnum(24)}»`],
      [
        'workos',
        () =>
          `sk_live_${Buffer.from(`key_01${upper(24)},${alnum(25)}`)
            .toString('base64')
            .replace(/=+$/, '')}`,
      ],
      ['knock', () => `sk_live_${safe(43)}`],
      ['resend', () => `re_${alnum(8)}_${alnum(24)}`],
      ['loops', () => `LOOPS_API_KEY=«${hex(32)}»`],
      ['gitea', () => `GITEA_TOKEN=«${hex(40)}»`],
      ['codecov', () => `CODECOV_TOKEN=«${uuid()}»`],
      ['amplitude', () => `AMPLITUDE_API_KEY=«${hex(32)}»`],
    ],
    heldOut: [
      ['composio', () => `ak_${safe(20)}`],
      ['checkout.com', () => `sk_${lower(26)}`],
      ['meilisearch', () => `MEILI_MASTER_KEY=«${safe(43)}»`],
      [
        'temporal cloud',
        () => `${json64({ alg: 'ES256', kid: 'W' })}.${json64({ account_id: 'a', exp: 2e9 })}.${safe(86)}`,
      ],
      ['dub', () => `dub_${alnum(24)}`],
      ['lago', () => `lago_key_${uuid()}`],
      ['novu', () => `novu_secret_${hex(32)}`],
      ['highlight', () => `hl_live_${alnum(32)}`],
      [
        'acxd',
        () => `acxd_live_${alnum(20)}.${alnum(32)}`,
        'https://docs.aws.amazon.com/connect/latest/devguide/acxd-api-tokens.html',
      ],
      ['cal.com', () => `cal_live_${hex(32)}`],
      ['formbricks', () => `fbk_${safe(43)}`],
      ['hookdeck', () => `hd_sk_${lower(40)}`],
      ['infisical', () => `st.${uuid()}.${hex(32)}.${hex(32)}`],
      ['propelauth', () => `PROPELAUTH_API_KEY=«${hex(128)}»`],
      ['stytch', () => `secret-live-${safe(35)}=`],
      ['stytch test', () => `secret-test-${safe(35)}=`],
      ['fingerprint', () => `FINGERPRINT_SECRET=«${alnum(20)}»`],
      ['moralis', () => `MORALIS_KEY=«${alnum(64)}»`],
      ['alchemy', () => `https://eth-mainnet.g.alchemy.com/v2/«${safe(32)}»`],
      ['infura', () => `https://mainnet.infura.io/v3/«${hex(32)}»`],
      ['logflare', () => `LOGFLARE_API_KEY=«${alnum(12)}»`],
      ['lemlist', () => `lemlist key: «${hex(32)}»`],
      ['tinybird', () => `p.${json64({ u: uuid(), id: uuid() })}.${safe(43)}`],
      ['upstash', () => `UPSTASH_REDIS_REST_TOKEN=«${base64(40)}»`],
      ['prefect cloud', () => `pnu_${alnum(36)}`],
      ['dagster', () => `user:«${hex(32)}»`],
      ['hex.tech', () => `hxtp_${hex(96)}`],
      ['retool', () => `retool_${from(BASE32.toLowerCase(), 27)}`],
      ['zuplo', () => `zpka_${hex(32)}_${hex(8)}`],
      ['unkey', () => `unkey_${alnum(22)}`],
    ],
  };
}
