import type { Finding } from './findings.js';
import { windowsAround } from './windows.js';

type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend');
type Rule = Preset['rules'][number];
type Context = Parameters<Rule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0];

/**
 * secretlint's recommended preset, each of its rules called by itself. Its own engine (`lintSource`) is not used:
 * in version 12 it leaves some 84 performance marks behind at every call and searches through all of them (500
 * calls take 3 seconds, the next 500 take 13), compares reported messages pair by pair, and shifts every range by
 * one when the text begins with a byte order mark.
 *
 * For each rule what every one of its matches must contain (a part of a regular expression): a text without any of
 * it has nothing to report and is not shown to the rules at all. Null: the rule is not asked.
 */
export const TRIGGERS: Readonly<Record<string, string | null>> = {
  '@secretlint/secretlint-rule-aws':
    'A3T[A-Z0-9]{17}|A(?:KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)[A-Z0-9]{16}|(?:SECRET|[sS]ecret)_?(?:ACCESS|[aA]ccess)_?(?:KEY|[kK]ey)["\']?\\s*[:=]|(?:ACCOUNT|[aA]ccount)_?(?:ID|[iI]d)?["\']?\\s*(?::|=)>?\\s*["\']?\\d{4}',
  // Looks at files named *.json and *.p12 only and reports the whole file; `findPrivateKeys` finds the key in it.
  '@secretlint/secretlint-rule-gcp': null,
  '@secretlint/secretlint-rule-privatekey': 'PRIVATE KEY',
  '@secretlint/secretlint-rule-npm': 'npm_[A-Za-z0-9_]{36}',
  '@secretlint/secretlint-rule-basicauth': '://[^\\s/]+@',
  '@secretlint/secretlint-rule-slack': 'xox[bpaor]-|xapp-|[sS][eE][rR][vV][iI][cC][eE][sS]/[tT]',
  '@secretlint/secretlint-rule-sendgrid': 'SG\\.',
  '@secretlint/secretlint-rule-shopify': 'shp(?:pa|ca|at|ss)_',
  '@secretlint/secretlint-rule-github': 'gh[pousr]_|github_pat_',
  '@secretlint/secretlint-rule-gitlab': 'glpat-',
  '@secretlint/secretlint-rule-grafana': 'glc_|glsa_',
  '@secretlint/secretlint-rule-openai': 'T3BlbkFJ',
  '@secretlint/secretlint-rule-anthropic': 'sk-ant-',
  '@secretlint/secretlint-rule-groq': 'gsk_',
  '@secretlint/secretlint-rule-huggingface': 'hf_[a-zA-Z]{34}',
  '@secretlint/secretlint-rule-linear': 'lin_api_',
  '@secretlint/secretlint-rule-notion': 'ntn_',
  '@secretlint/secretlint-rule-1password': 'ops_ey',
  '@secretlint/secretlint-rule-database-connection-string': '://[^\\s/]+@',
  '@secretlint/secretlint-rule-hashicorp-vault': 'hv[sbr]\\.',
  '@secretlint/secretlint-rule-vercel': 'vc[piark]_',
  '@secretlint/secretlint-rule-databricks': 'dapi[A-Fa-f0-9]{32}',
  '@secretlint/secretlint-rule-docker': 'dckr_pat_',
  '@secretlint/secretlint-rule-figma': 'figd_',
  // Obeys `secretlint-disable` in the text. A text is content here, never an instruction.
  '@secretlint/secretlint-rule-filter-comments': null,
};

const TRIGGER = new RegExp(
  [...new Set(Object.values(TRIGGERS))].filter((part) => part !== null).join('|'),
  'g',
);
const TRIGGER_OF = new Map(
  Object.entries(TRIGGERS).map(([id, part]) => [id, part === null ? null : new RegExp(part)]),
);

/** False when no rule of the preset can report anything in this text. */
export function mayHoldSecret(text: string): boolean {
  return text.search(TRIGGER) >= 0;
}

/** What the rules see around a place that may hold a secret: its line, or more than the longest token. */
const AROUND = { near: 128, reach: 2_048 };

/** secretlint's message ids: our kind, and where in the reported text the secret lies (default: all of it; nowhere: not a secret). */
const REPORTS: Readonly<Record<string, { kind: string; secret?: RegExp; general?: boolean }>> = {
  AWSAccessKeyID: { kind: 'aws-access-key-id' },
  AWSSecretAccessKey: { kind: 'aws-secret-key' },
  AWSAccountID: { kind: 'aws-account-id', secret: /\d{4}-?\d{4}-?\d{4}/d, general: true },
  PrivateKey: { kind: 'private-key' },
  BasicAuth: { kind: 'password', secret: /(?<=:\/\/([^:]+):)(?!\1@).+(?=@)/d, general: true },
  MongoDBConnection: { kind: 'password', secret: /(?<=:\/\/([^:]+):)(?!\1@)[^/]+(?=@)/d, general: true },
  MySQLConnection: { kind: 'password', secret: /(?<=:\/\/([^:]+):)(?!\1@)[^/]+(?=@)/d, general: true },
  PostgreSQLConnection: { kind: 'password', secret: /(?<=:\/\/([^:]+):)(?!\1@)[^/]+(?=@)/d, general: true },
  IncomingWebhook: { kind: 'slack-webhook', secret: /(?<=\/services\/).+/di },
  OPS_TOKEN: { kind: '1password-token' },
  ANTHROPIC_API_KEY: { kind: 'anthropic-key' },
};

/** The shape of a token, shown with nothing in it. */
const MASKED = /(?:x{12}|X{12}|\*{8})/;

let preset: Promise<Preset> | undefined;

/** What the preset reports in a text, of which it sees the parts that may hold a secret. */
export async function findBySecretlint(text: string): Promise<Finding[]> {
  if (!mayHoldSecret(text)) return [];
  const places = Array.from(text.matchAll(TRIGGER), ({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  const found: Finding[] = [];
  for (const { start, end } of windowsAround(text, places, AROUND)) {
    for (const finding of await reportsOn(text.slice(start, end)))
      found.push({ ...finding, start: finding.start + start, end: finding.end + start });
  }
  return found;
}

/** Loads the preset at the first call (about 10 ms). */
async function reportsOn(text: string): Promise<Finding[]> {
  preset ??= import('@secretlint/secretlint-rule-preset-recommend');
  const { rules } = await preset;
  const found: Finding[] = [];
  const context: Context = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
    ignore: () => undefined,
    report: ({ message, range }) => {
      const finding = toFinding(text, message.messageId, message.data, range);
      if (finding !== null) found.push(finding);
    },
  };
  const source = sourceOf(text);
  for (const rule of rules) {
    const trigger = TRIGGER_OF.get(rule.meta.id);
    if (trigger === null || trigger?.test(text) === false) continue;
    await rule.create(context, { enableIDScanRule: true }).file?.(source);
  }
  return found;
}

function toFinding(
  text: string,
  messageId: string,
  data: unknown,
  range: readonly [number, number],
): Finding | null {
  const report = REPORTS[messageId];
  if (MASKED.test(text.slice(...range))) return null;
  const kind = report?.kind ?? messageId.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const general = report?.general ?? false;
  // Some rules report where the match begins, key name included, with the length of the secret alone.
  const value = firstString(data) ?? text.slice(...range);
  const at = text.startsWith(value, range[0])
    ? range[0]
    : text.slice(range[0], range[0] + 512).indexOf(value) + range[0];
  const start = at < range[0] ? range[0] : at;
  if (report?.secret === undefined) return { start, end: start + value.length, kind, general };
  const within = report.secret.exec(value)?.indices?.[0];
  return within === undefined ? null : { start: start + within[0], end: start + within[1], kind, general };
}

function firstString(data: unknown): string | undefined {
  const value: unknown = typeof data === 'object' && data !== null ? Object.values(data)[0] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A text as the preset's rules want it: nothing but content, and no file. */
export function sourceOf(content: string): Source {
  const noPositions = (): never => {
    throw new Error('a rule asked for lines and columns, which the sanitiser does not keep');
  };
  return {
    content,
    hasBOM: false,
    filePath: 'text.txt',
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '.txt',
    getFilePath: () => 'text.txt',
    getPhysicalFilePath: () => undefined,
    locationToRange: noPositions,
    rangeToLocation: noPositions,
    positionToIndex: noPositions,
    indexToPosition: noPositions,
  };
}
