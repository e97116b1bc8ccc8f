import { matchAt } from './finder.js';
import type { Finding } from './findings.js';
import { scanFor } from './literals.js';
import { type Window, windowsAround } from './windows.js';

type Preset = typeof import('@secretlint/secretlint-rule-preset-recommend');
type Rule = Preset['rules'][number];
type Context = Parameters<Rule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0];

/** What one of a rule's matches begins with, literally, and what follows (part of a regular expression). */
interface Trigger {
  starts: readonly string[];
  rest?: string;
  /** `starts` are in lower case then. */
  anyCase?: true;
}

/**
 * secretlint's recommended preset, each of its rules called by itself. Its own engine (`lintSource`) is not used:
 * in version 12 it leaves some 84 performance marks behind at every call and searches through all of them (500
 * calls take 3 seconds, the next 500 take 13), compares reported messages pair by pair, and shifts every range by
 * one when the text begins with a byte order mark.
 *
 * For each rule what every one of its matches must contain: a text without any of it has nothing to report and is
 * not shown to the rules at all. Null: the rule is not asked.
 */
export const TRIGGERS: Readonly<Record<string, readonly Trigger[] | null>> = {
  '@secretlint/secretlint-rule-aws': [
    { starts: ['A3T'], rest: '[A-Z0-9]{17}' },
    { starts: ['AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA'], rest: '[A-Z0-9]{16}' },
    {
      starts: ['SECRET', 'Secret', 'secret'],
      rest: '_?(?:ACCESS|[aA]ccess)_?(?:KEY|[kK]ey)["\']?\\s*[:=]',
    },
    {
      starts: ['ACCOUNT', 'Account', 'account'],
      rest: '_?(?:ID|[iI]d)?["\']?\\s*(?::|=)>?\\s*["\']?\\d{4}',
    },
  ],
  // Looks at files named *.json and *.p12 only and reports the whole file; `findPrivateKeys` finds the key in it.
  '@secretlint/secretlint-rule-gcp': null,
  '@secretlint/secretlint-rule-privatekey': [{ starts: ['PRIVATE KEY'] }],
  '@secretlint/secretlint-rule-npm': [{ starts: ['npm_'], rest: '[A-Za-z0-9_]{36}' }],
  '@secretlint/secretlint-rule-basicauth': [{ starts: ['://'], rest: '[^\\s/]+@' }],
  '@secretlint/secretlint-rule-slack': [
    { starts: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxo-', 'xoxr-', 'xapp-'] },
    { starts: ['services/'], rest: 't', anyCase: true },
  ],
  '@secretlint/secretlint-rule-sendgrid': [{ starts: ['SG.'] }],
  '@secretlint/secretlint-rule-shopify': [{ starts: ['shppa_', 'shpca_', 'shpat_', 'shpss_'] }],
  '@secretlint/secretlint-rule-github': [{ starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'] }],
  '@secretlint/secretlint-rule-gitlab': [{ starts: ['glpat-'] }],
  '@secretlint/secretlint-rule-grafana': [{ starts: ['glc_', 'glsa_'] }],
  '@secretlint/secretlint-rule-openai': [{ starts: ['T3BlbkFJ'] }],
  '@secretlint/secretlint-rule-anthropic': [{ starts: ['sk-ant-'] }],
  '@secretlint/secretlint-rule-groq': [{ starts: ['gsk_'] }],
  '@secretlint/secretlint-rule-huggingface': [{ starts: ['hf_'], rest: '[a-zA-Z]{34}' }],
  '@secretlint/secretlint-rule-linear': [{ starts: ['lin_api_'] }],
  '@secretlint/secretlint-rule-notion': [{ starts: ['ntn_'] }],
  '@secretlint/secretlint-rule-1password': [{ starts: ['ops_ey'] }],
  '@secretlint/secretlint-rule-database-connection-string': [{ starts: ['://'], rest: '[^\\s/]+@' }],
  '@secretlint/secretlint-rule-hashicorp-vault': [{ starts: ['hvs.', 'hvb.', 'hvr.'] }],
  '@secretlint/secretlint-rule-vercel': [{ starts: ['vcp_', 'vca_', 'vci_', 'vcr_', 'vck_'] }],
  '@secretlint/secretlint-rule-databricks': [{ starts: ['dapi'], rest: '[A-Fa-f0-9]{32}' }],
  '@secretlint/secretlint-rule-docker': [{ starts: ['dckr_pat_'] }],
  '@secretlint/secretlint-rule-figma': [{ starts: ['figd_'] }],
  // Obeys `secretlint-disable` in the text. A text is content here, never an instruction.
  '@secretlint/secretlint-rule-filter-comments': null,
};
const ALL = Object.values(TRIGGERS).flatMap((triggers) => triggers ?? []);
const FORMS = ALL.flatMap((trigger) => {
  const pattern = new RegExp(sourceFor(trigger), trigger.anyCase ? 'iy' : 'y');
  return trigger.starts.map((text) => ({ text, anyCase: trigger.anyCase ?? false, pattern }));
});
const scan = scanFor(FORMS);

/** What the rules see around a place that may hold a secret: its line, or more than the longest token. */
const AROUND = { near: 128, reach: 2_048 };

/** Where a rule of the preset may report something, in order; a crowd is one place. */
export function triggersIn(text: string): Window[] {
  const places: Window[] = [];
  scan(text, (number, start) => {
    const pattern = FORMS[number]?.pattern;
    if (pattern === undefined) return;
    if (matchAt(pattern, text, start) === null) return;
    const last = places.at(-1);
    if (last !== undefined && start <= last.end + AROUND.near)
      last.end = Math.max(last.end, pattern.lastIndex);
    else places.push({ start, end: pattern.lastIndex });
  });
  return places;
}

/** Which rules a text is shown to. */
const TRIGGER_OF = new Map(
  Object.entries(TRIGGERS).map(([id, triggers]) => [
    id,
    triggers === null
      ? null
      : triggers.map((trigger) => new RegExp(sourceFor(trigger), trigger.anyCase ? 'i' : '')),
  ]),
);

function sourceFor({ starts, rest = '' }: Trigger): string {
  return `(?:${starts.map((start) => start.replace('.', '\\.')).join('|')})${rest}`;
}

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
  // Settings of npm have underscores (`npm_config_…`), its tokens do not.
  NPM_ACCESS_TOKEN: { kind: 'npm-access-token', secret: /^npm_[A-Za-z0-9]{36}$/d },
  OPS_TOKEN: { kind: '1password-token' },
  ANTHROPIC_API_KEY: { kind: 'anthropic-key' },
};

/** The accounts of AWS' documentation, and numbers that nobody has. */
const EXAMPLE_ACCOUNT =
  /^(?:123456789012|012345678901|(\d)\1{11}|111122223333|444455556666|777788889999|1111-?2222-?3333|1234-?5678-?9012)$/;
/** `postgresql://<u>:<password>@` shows where a password goes. */
const SHOWN_PLACE = /[<>]|\$\{|\{\{/;

/** The shape of a token, shown with nothing in it. */
const MASKED = /(?:x{12}|X{12}|\*{8})/;

let preset: Promise<Preset> | undefined;

/** What the preset reports in a text, of which it sees the parts that may hold a secret. */
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

/** A crowd makes one long window, on which patterns of the preset take long, or run out of stack. */
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
    const triggers = TRIGGER_OF.get(rule.meta.id);
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
  // Some rules report where the match begins, key name included, with the length of the secret alone.
  const value = firstString(data) ?? text.slice(...range);
  const at = text.startsWith(value, range[0])
    ? range[0]
    : text.slice(range[0], range[0] + 512).indexOf(value) + range[0];
  const start = at < range[0] ? range[0] : at;
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
