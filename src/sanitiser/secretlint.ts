import { matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { scanFor } from './literals.js';
import { startsIn } from './rule.js';
import { type Window, windowsAround } from './windows.js';

type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend');
type Rule = Preset['rules'][number];
type Context = Parameters<Rule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0];

/**
 * secretlint's recommended preset, with each rule called directly. Its engine (`lintSource`) is not used: in version 12
 * it leaves about 84 performance marks per call and searches all of them (500 calls take 3 seconds, the next 500 take
 * 13), compares messages pairwise, and shifts every range by one when the text begins with a byte order mark.
 *
 * Each match of a rule contains one of its triggers, which begins with a literal of the group `at`. A rule is called only
 * for texts with a trigger. Null: never.
 */
export const TRIGGERS: Readonly<Record<string, readonly RegExp[] | null>> = {
  '@secretlint/secretlint-rule-aws': [
    /(?<at>A3T)[A-Z0-9]{17}/,
    /(?<at>AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}/,
    /(?<at>SECRET|Secret|secret)_?(?:ACCESS|[aA]ccess)_?(?:KEY|[kK]ey)["']?\s*[:=]/,
    /(?<at>ACCOUNT|Account|account)_?(?:ID|[iI]d)?["']?\s*(?::|=)>?\s*["']?\d{4}/,
  ],
  // Only reports whole files named *.json and *.p12; `findPrivateKeys` finds the key in them.
  '@secretlint/secretlint-rule-gcp': null,
  '@secretlint/secretlint-rule-privatekey': [/(?<at>PRIVATE KEY)/],
  '@secretlint/secretlint-rule-npm': [/(?<at>npm_)[A-Za-z0-9_]{36}/],
  '@secretlint/secretlint-rule-basicauth': [/(?<at>:\/\/)[^\s/]+@/],
  '@secretlint/secretlint-rule-slack': [
    /(?<at>xoxb-|xoxp-|xoxa-|xoxo-|xoxr-|xapp-)/,
    /(?<at>hooks\.slack\.com\/services\/)t/i,
  ],
  '@secretlint/secretlint-rule-sendgrid': [/(?<at>SG\.)/],
  '@secretlint/secretlint-rule-shopify': [/(?<at>shppa_|shpca_|shpat_|shpss_)/],
  '@secretlint/secretlint-rule-github': [/(?<at>ghp_|gho_|ghu_|ghs_|ghr_|github_pat_)/],
  '@secretlint/secretlint-rule-gitlab': [/(?<at>glpat-)/],
  '@secretlint/secretlint-rule-grafana': [/(?<at>glc_|glsa_)/],
  '@secretlint/secretlint-rule-openai': [/(?<at>T3BlbkFJ)/],
  '@secretlint/secretlint-rule-anthropic': [/(?<at>sk-ant-)/],
  '@secretlint/secretlint-rule-groq': [/(?<at>gsk_)/],
  '@secretlint/secretlint-rule-huggingface': [/(?<at>hf_)[a-zA-Z]{34}/],
  '@secretlint/secretlint-rule-linear': [/(?<at>lin_api_)/],
  '@secretlint/secretlint-rule-notion': [/(?<at>ntn_)/],
  '@secretlint/secretlint-rule-1password': [/(?<at>ops_ey)/],
  '@secretlint/secretlint-rule-database-connection-string': [/(?<at>:\/\/)[^\s/]+@/],
  '@secretlint/secretlint-rule-hashicorp-vault': [/(?<at>hvs\.|hvb\.|hvr\.)/],
  '@secretlint/secretlint-rule-vercel': [/(?<at>vcp_|vca_|vci_|vcr_|vck_)/],
  '@secretlint/secretlint-rule-databricks': [/(?<at>dapi)[A-Fa-f0-9]{32}/],
  '@secretlint/secretlint-rule-docker': [/(?<at>dckr_pat_)/],
  '@secretlint/secretlint-rule-figma': [/(?<at>figd_)/],
  // Would obey `secretlint-disable` in the text. Here, text is content and never an instruction.
  '@secretlint/secretlint-rule-filter-comments': null,
};
const TRIGGER_STARTS = Object.values(TRIGGERS).flatMap((triggers) =>
  (triggers ?? []).flatMap((trigger) => {
    const pattern = new RegExp(trigger, `${trigger.flags}y`);
    return (startsIn(trigger) ?? []).map((text) => ({ text, anyCase: trigger.ignoreCase, pattern }));
  }),
);
const scan = scanFor(TRIGGER_STARTS);

/** Context of a trigger for the rules: its line, or more than the longest token. */
const AROUND = { near: 128, reach: 2_048 };

/** The triggers in a text, in order; close ones are merged. */
export function triggersIn(text: string): Window[] {
  const places: Window[] = [];
  scan(text, (number, start) => {
    const pattern = TRIGGER_STARTS[number]?.pattern;
    if (pattern === undefined || matchAt(pattern, text, start) === null) return;
    const last = places.at(-1);
    if (last !== undefined && start <= last.end + AROUND.near)
      last.end = Math.max(last.end, pattern.lastIndex);
    else places.push({ start, end: pattern.lastIndex });
  });
  return places;
}

/** By secretlint's message id: our kind, and the secret in the reported text (default: all; no match: not a secret). */
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
  // Settings of npm have underscores (`npm_config_…`), its tokens do not.
  NPM_ACCESS_TOKEN: { kind: 'npm-access-token', secret: /^npm_[A-Za-z0-9]{36}$/d },
  OPS_TOKEN: { kind: '1password-token' },
  ANTHROPIC_API_KEY: { kind: 'anthropic-key' },
};

/** Accounts of AWS' documentation, and impossible numbers. */
const EXAMPLE_ACCOUNT =
  /^(?:123456789012|012345678901|(\d)\1{11}|111122223333|444455556666|777788889999|1111-?2222-?3333|1234-?5678-?9012)$/;
/** A placeholder, as in `postgresql://<u>:<password>@`. */
const SHOWN_PLACE = /[<>]|\$\{|\{\{/;

/** A masked token. */
const MASKED = /(?:x{12}|X{12}|\*{8})/;

let preset: Promise<Preset> | undefined;

/** Applies the preset to the parts of a text that may contain a secret. */
export async function findBySecretlint(text: string): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const window of windowsAround(text, triggersIn(text), AROUND)) {
    for (const { start, end } of piecesOf(window)) {
      for (const finding of await reportsOn(text.slice(start, end))) {
        const placed = { ...finding, start: finding.start + start, end: finding.end + start };
        const cut =
          (placed.start === start && start > window.start) || (placed.end === end && end < window.end);
        if (!cut) found.push(placed);
      }
    }
  }
  return found;
}

/** On a longer window, patterns of the preset are slow or overflow the stack. */
const PIECE = 65_536;
/** More than the longest token: each is whole in one piece. */
const OVERLAP = 4_096;

function piecesOf({ start, end }: Window): Window[] {
  const pieces: Window[] = [];
  for (let from = start; from === start || from + OVERLAP < end; from += PIECE - OVERLAP)
    pieces.push({ start: from, end: Math.min(from + PIECE, end) });
  return pieces;
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
    const triggers = TRIGGERS[rule.meta.id];
    if (triggers === null || triggers?.some((trigger) => trigger.test(text)) === false) continue;
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
  // Some rules report the start of the match, including the key name, with the length of the secret.
  const value = firstString(data) ?? text.slice(...range);
  const start = range[0] + Math.max(0, text.slice(range[0], range[0] + 512).indexOf(value));
  if (report?.secret === undefined) return { start, end: start + value.length, kind, general };
  const within = report.secret.exec(value)?.indices?.[0];
  if (within === undefined) return null;
  const secret = value.slice(...within);
  if (kind === 'password' ? SHOWN_PLACE.test(secret) : EXAMPLE_ACCOUNT.test(secret)) return null;
  return { start: start + within[0], end: start + within[1], kind, general };
}

function firstString(data: unknown): string | undefined {
  const value: unknown = typeof data === 'object' && data !== null ? Object.values(data)[0] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A text in the form of the preset's rules, without a file. */
export function sourceOf(content: string): Source {
  const noPositions = (): never => {
    throw new Error('a rule requested lines and columns, which the sanitiser does not provide');
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
