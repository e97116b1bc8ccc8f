import type { Finding } from './findings.js';
import { isPlaceholder, looksChosen, looksGenerated } from './judge.js';

/** A secret that is known by its shape or by the word before it. */
interface Rule {
  kind: string;
  /** Global, with indices; the group `secret` is what is replaced. No unbounded repetition after a bounded one. */
  pattern: RegExp;
  /** Each match contains one of these: looking for them first makes the many texts without any cheap. */
  needs?: readonly string[];
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
    needs: ['eyJ'],
    pattern: /(?<![\w-])(?<secret>eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})/dg,
  },
  {
    kind: 'jwe',
    needs: ['eyJ'],
    pattern: /(?<![\w-])(?<secret>eyJ[\w-]{15,}\.[\w-]*\.[\w-]{10,}\.[\w-]{16,}\.[\w-]{16,})/dg,
  },
  {
    kind: 'github-token', // stateless installation tokens: a JWT after the application's number
    needs: ['_eyJ'],
    pattern: /(?<![\w-])(?<secret>gh[a-z]_\d{1,20}_eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})/dg,
  },
  {
    kind: 'google-api-key',
    needs: ['AIza'],
    pattern: /(?<![\w-])(?<secret>AIza[\w-]{35})(?![\w-])/dg,
  },
  {
    kind: 'google-oauth',
    needs: ['GOCSPX-', 'ya29.', '1//0'],
    pattern: /(?<![\w-])(?<secret>GOCSPX-[\w-]{28}|ya29\.[\w-]{30,1024}|1\/\/0[\w-]{40,512})(?![\w-])/dg,
  },
  {
    kind: 'stripe-key',
    needs: ['k_live_', 'k_test_', 'whsec_'],
    pattern:
      /(?<![A-Za-z])(?<secret>[rs]k_(?:live|test)_[A-Za-z0-9]{24,247}|whsec_[A-Za-z0-9+/]{32,64}=*)(?![A-Za-z0-9])/dg,
  },
  {
    kind: '1password-token', // the preset knows those whose JSON ends on a base64 boundary
    needs: ['ops_eyJ'],
    pattern: /(?<![A-Za-z])(?<secret>ops_eyJ[\w+/-]{100,4096}={0,2})/dg,
  },
  {
    kind: 'tailscale-key',
    pattern: /(?<![A-Za-z])(?<secret>tskey-[a-z]{2,16}-[A-Za-z0-9]{8,32}(?:-[A-Za-z0-9]{16,64})?)(?![\w-])/dg,
  },
  {
    kind: 'cloudflare-token',
    pattern: /(?<![A-Za-z])(?<secret>cf(?:at|ut|k)_[A-Za-z0-9]{40}[0-9a-f]{8})(?![\w-])/dg,
  },
  {
    kind: 'gitlab-token',
    pattern: /(?<![A-Za-z])(?<secret>gl(?:rt|dt|ptt|cbt|ft|imt|agent|oas|soat)-[\w-]{20,128})(?![\w-])/dg,
    accept: looksGenerated,
  },
  {
    kind: 'api-key', // model providers: OpenRouter, DeepSeek, xAI, Perplexity, Nvidia
    needs: ['sk-', 'xai-', 'pplx-', 'nvapi-'],
    pattern: /(?<![\w-])(?<secret>(?:sk|xai|pplx|nvapi)-[\w-]{32,200})(?![\w-])/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'api-key', // PyPI, DigitalOcean, Supabase, Postman, New Relic, RubyGems
    needs: ['pypi-AgEI', '_v1_', 'sbp_', 'PMAK-', 'NRAK-', 'rubygems_'],
    pattern:
      /(?<![A-Za-z])(?<secret>(?:pypi-AgEI|do[opr]_v1_|sbp_|PMAK-|NRAK-|rubygems_)[\w.-]{24,400})(?![\w-])/dg,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'slack-token', // the preset's pattern ends before the last part of an app-level token
    pattern: /(?<![A-Za-z])(?<secret>xapp-\d-[A-Z0-9]{8,16}-\d{8,20}-[a-f0-9]{40,80})(?![\w-])/dg,
  },
  {
    kind: 'telegram-token',
    needs: [':AA'],
    pattern: /(?<![\w-])(?<secret>\d{8,10}:AA[\w-]{33})(?![\w-])/dg,
  },
  {
    kind: 'azure-secret', // an application's client secret
    needs: ['Q~'],
    pattern: /(?<![\w~.-])(?<secret>[\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/dg,
  },
  {
    kind: 'account-key', // Azure storage and service bus connection strings
    pattern: /(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})/dgi,
  },
  {
    kind: 'basic-auth', // also `"auth": "…"` of Docker and `_auth=` of npm
    pattern:
      /(?:\bBasic[ \t]{1,9}|\b_?auth["']?[ \t]{0,9}[:=][ \t]{0,9}["']?)(?<secret>[A-Za-z0-9+/]{8,1024}={0,2})/dgi,
    accept: isBasicCredential,
    general: true,
  },
  {
    kind: 'bearer',
    pattern: /\bBearer[ \t]{1,9}(?<secret>[\w.~+/-]{16,4096}={0,2})/dgi,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'authorization',
    pattern:
      /\bAuthorization\\{0,3}["']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}["']?(?:[A-Za-z]{1,20}[ \t]{1,9})?(?<secret>[\w.~+/-]{16,4096}={0,2})/dgi,
    accept: looksGenerated,
    general: true,
  },
  {
    kind: 'password', // scheme://user:password@host: the password alone
    needs: ['://'],
    pattern: /:\/\/(?<user>[^\s:/@"'`<>]{0,256}):(?<secret>[^\s/"'`<>?#]{3,256})@(?=[\w[%-])/dg,
    accept: (secret, { user }) => secret !== user && !isPlaceholder(secret) && looksChosen(secret, 'firm'),
    general: true,
  },
  {
    kind: 'github-token', // a token in the place of the user's name
    needs: [':x-oauth-basic@'],
    pattern: /https?:\/\/(?<secret>[^\s:/@"'`<>$]{16,256}):x-oauth-basic@/dg,
  },
];

/** Every secret the table finds. */
export function findByRules(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { kind, needs, pattern, accept, general } of RULES) {
    if (needs !== undefined && !needs.some((literal) => text.includes(literal))) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [start, end] = match.indices?.groups?.secret ?? [0, 0];
      if (accept !== undefined && !accept(text.slice(start, end), match.groups ?? {})) continue;
      found.push({ start, end, kind, general: general ?? false });
    }
  }
  return found;
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
