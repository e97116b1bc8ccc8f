import type { Duplex } from 'node:stream';
import { isRecord, parseJson } from '../core/json.js';
import * as s from '../core/shape.js';

/** Version of the lines that open a connection. */
const PROTOCOL = 1;

/** Begins the refusal of a client whose settings differ. Their names follow. */
export const OTHER_SETTINGS = 'the client has other settings than the broker';

/** Whether a broker refused a client because of its settings. */
export const isOfSettings = (refusal: string): boolean => refusal.startsWith(OTHER_SETTINGS);

const text = s.maybe(s.string);
const texts = s.orElse(s.array(s.string), []);
const count = s.orElse(s.number, 0);

export const buildFields = {
  version: s.string,
  /** Differs when the programs differ. */
  build: s.orElse(s.string, ''),
  /** Time of the build, milliseconds since 1970; orders builds of one version. */
  builtMs: count,
};
const buildShape = s.object(buildFields);
/** A build of this toolkit. */
export type Build = s.Shaped<typeof buildShape>;

/** The first line of a connection, from the client. Environments are never sent. */
const helloShape = s.object({
  ...buildFields,
  /** What a connection is for: tools for an agent, commands of this toolkit, a link to the page, or the broker itself. */
  kind: s.literal('mcp', 'service', 'page', 'status', 'stop', 'retire'),
  /** What the settings amount to: digests by name. Absent for a broker that the user named: it has settings of its own. */
  settings: s.maybe(s.record),
  /** The client's working folder; absolute. */
  cwd: text,
  tools: text,
  readOnly: s.maybe(s.boolean),
  agent: text,
  /** Longest duration of a call. */
  deadlineMs: s.maybe(s.number),
  /** Of the page; 0: any that is free. */
  port: s.maybe(s.number),
  /** Of a broker that asks for room: it is a service, which does not end without clients. */
  stays: s.maybe(s.boolean),
});
export type Hello = s.Shaped<typeof helloShape>;

/** A way to the page that works once, for a few minutes. */
const linkShape = s.object({
  url: s.string,
  /** Leads to it. Only its user can read it; arguments of a browser can be read by all users. */
  file: s.string,
});
export type PageLink = s.Shaped<typeof linkShape>;

/** What the broker watches, for people. */
const watchingShape = s.object({
  paths: s.array(s.string),
  /** What is not there now, by name. */
  missing: texts,
  /** The last filing. `exitCode`: null if it could not be started or was ended by a signal. */
  last: s.maybe(
    s.object({ command: s.string, endedMs: s.number, exitCode: s.union(s.number, s.literal(null)) }),
  ),
});
export type Watching = s.Shaped<typeof watchingShape>;

/** The second line, from a broker that accepts the client. */
const acceptanceShape = s.object({
  ...buildFields,
  pid: count,
  clients: count,
  startedMs: count,
  writes: texts,
  watching: s.maybe(watchingShape),
  page: s.maybe(linkShape),
});
export type Reply = ({ ok: true } & s.Shaped<typeof acceptanceShape>) | { ok: false; reason: string };

export function lineOf(message: Hello | Reply): string {
  return `${JSON.stringify({ mempalace: PROTOCOL, ...message })}\n`;
}

/** @returns undefined for any other line */
export function readHello(line: string): Hello | undefined {
  return s.shaped(helloShape, opened(line));
}

/** @returns undefined for any other line */
export function readReply(line: string): Reply | undefined {
  const given = opened(line);
  if (given === undefined) return undefined;
  if (given.ok !== true)
    return { ok: false, reason: typeof given.reason === 'string' ? given.reason : 'it gave no reason' };
  const reply = s.shaped(acceptanceShape, given);
  return reply && { ok: true, ...reply };
}

/** Whether a build may take the place of another. */
export function isNewer(one: Build, other: Build): boolean {
  const order = one.version.localeCompare(other.version, 'en', { numeric: true });
  return order === 0 ? one.builtMs > other.builtMs : order > 0;
}

function opened(line: string): Record<string, unknown> | undefined {
  const given = parseJson(line);
  return isRecord(given) && given.mempalace === PROTOCOL ? given : undefined;
}

/** Reads the first line of a stream, whose rest stays in it, paused. @param onLine gets undefined for a longer line than `most` bytes */
export function readFirstLine(
  stream: Duplex,
  most: number,
  onLine: (line: string | undefined) => void,
): void {
  let received = Buffer.alloc(0);
  const take = (piece: Buffer): void => {
    received = Buffer.concat([received, piece]);
    const end = received.indexOf('\n');
    if (end === -1 && received.length <= most) return;
    stream.off('data', take).pause();
    if (end !== -1 && received.length > end + 1) stream.unshift(received.subarray(end + 1));
    onLine(end === -1 ? undefined : received.toString('utf8', 0, end));
  };
  stream.on('data', take);
}
