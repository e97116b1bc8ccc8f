import { isRecord, parseJson } from '../core/json.js';

/** Version of the lines that open a connection. */
const PROTOCOL = 1;

/** Begins the refusal of a client whose settings differ. Their names follow. */
export const OTHER_SETTINGS = 'the client has other settings than the broker';

/** Whether a broker refused a client because of its settings. */
export const isOfSettings = (refusal: string): boolean => refusal.startsWith(OTHER_SETTINGS);

/** A build of this toolkit. */
export interface Build {
  version: string;
  /** Differs when the programs differ. */
  build: string;
  /** Time of the build, milliseconds since 1970; orders builds of one version. */
  builtMs: number;
}

/** What a connection is for: tools for an agent, commands of this toolkit, a link to the page, or the broker itself. */
const KINDS = ['mcp', 'service', 'page', 'status', 'stop', 'retire'] as const;
type Kind = (typeof KINDS)[number];

/** The first line of a connection, from the client. Environments are never sent. */
export interface Hello extends Build {
  kind: Kind;
  /** What the settings amount to: digests by name. Absent for a broker that the user named: it has settings of its own. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** The client's working folder; absolute. */
  cwd?: string | undefined;
  tools?: string | undefined;
  readOnly?: boolean | undefined;
  agent?: string | undefined;
  /** Longest duration of a call. */
  deadlineMs?: number | undefined;
  /** Of the page; 0: any that is free. */
  port?: number | undefined;
  /** Of a broker that asks for room: it is a service, which does not end without clients. */
  stays?: boolean | undefined;
}

/** A way to the page that works once, for a few minutes. */
export interface PageLink {
  url: string;
  /** Leads to it. Only its user can read it; arguments of a browser can be read by all users. */
  file: string;
}

/** What the broker watches, for people. */
export interface Watching {
  paths: string[];
  /** What is not there now, by name. */
  missing: string[];
  /** The last filing. `exitCode`: null if it could not be started or was ended by a signal. */
  last?: { command: string; endedMs: number; exitCode: number | null } | undefined;
}

/** The second line, from the broker. */
export type Reply =
  | (Build & {
      ok: true;
      pid: number;
      clients: number;
      startedMs: number;
      writes: string[];
      watching?: Watching | undefined;
      page?: PageLink | undefined;
    })
  | { ok: false; reason: string };

/** Written and read without a schema library: a client that only relays is small. */
export function lineOf(message: Hello | Reply): string {
  return `${JSON.stringify({ mempalace: PROTOCOL, ...message })}\n`;
}

/** @returns undefined for any other line */
export function readHello(text: string): Hello | undefined {
  const given = opened(text);
  const kind = KINDS.find((each) => each === given?.kind);
  if (given === undefined || kind === undefined) return undefined;
  return {
    kind,
    ...buildIn(given),
    settings: isRecord(given.settings) ? textsIn(given.settings) : undefined,
    cwd: textIn(given.cwd),
    tools: textIn(given.tools),
    readOnly: given.readOnly === true,
    agent: textIn(given.agent),
    deadlineMs: numberIn(given.deadlineMs),
    port: numberIn(given.port),
    stays: given.stays === true,
  };
}

/** @returns undefined for any other line */
export function readReply(text: string): Reply | undefined {
  const given = opened(text);
  if (given === undefined) return undefined;
  if (given.ok !== true) return { ok: false, reason: textIn(given.reason) ?? 'it gave no reason' };
  const { pid, clients, startedMs, writes, page } = given;
  return {
    ok: true,
    ...buildIn(given),
    pid: Number(pid),
    clients: Number(clients),
    startedMs: Number(startedMs),
    writes: Array.isArray(writes) ? writes.map(String) : [],
    watching: watchingIn(given.watching),
    page: isRecord(page) ? { url: String(page.url), file: String(page.file) } : undefined,
  };
}

/** Whether a build may take the place of another. */
export function isNewer(one: Build, other: Build): boolean {
  const order = one.version.localeCompare(other.version, 'en', { numeric: true });
  return order === 0 ? one.builtMs > other.builtMs : order > 0;
}

function opened(text: string): Record<string, unknown> | undefined {
  const given = parseJson(text);
  return isRecord(given) && given.mempalace === PROTOCOL ? given : undefined;
}

function buildIn({ version, build, builtMs }: Record<string, unknown>): Build {
  return { version: String(version), build: String(build), builtMs: Number(builtMs) };
}

function watchingIn(given: unknown): Watching | undefined {
  if (!isRecord(given) || !Array.isArray(given.paths)) return undefined;
  const { last } = given;
  const known = isRecord(last)
    ? {
        command: String(last.command),
        endedMs: Number(last.endedMs),
        exitCode: last.exitCode === null ? null : Number(last.exitCode),
      }
    : undefined;
  const missing = Array.isArray(given.missing) ? given.missing.map(String) : [];
  return { paths: given.paths.map(String), missing, last: known };
}

const textsIn = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
