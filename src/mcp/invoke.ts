import { tidyAgent } from '../core/agent-name.js';
import { messageOf, UserError } from '../core/errors.js';
import { issuesText } from '../core/issues.js';
import { isRecord } from '../core/json.js';
import { OMITTED } from '../core/omitted.js';
import { NOTICE } from '../core/outside.js';
import { untilAborted } from '../platform/until-aborted.js';
import type { PalaceService } from '../service/contract/index.js';
import { withoutNulls } from './message.js';
import type { Call, Host, Tool } from './tool.js';
import { type WriteLog, withoutSecrets } from './write-log.js';

/** Shared by all calls of a server. */
export interface Shared {
  host: Host;
  service: PalaceService;
  /** Undefined under --read-only. */
  log: WriteLog | undefined;
  /** `--agent`; else the name of the client. */
  agent: string | undefined;
  /** The folders of a client that names none; absolute. */
  folders: readonly string[];
  /** Longest duration of a call, milliseconds. */
  deadlineMs: number;
}

export interface Caller {
  /** Name and version as the client states them. */
  client: { name: string; version: string } | undefined;
  /** Aborts when the client cancels or the server ends. */
  signal: AbortSignal;
  /** The folders that the client works in, absolute; empty where it does not say. Never rejects. */
  folders(): Promise<readonly string[]>;
}

export type Answer =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; result: { error: string; code: string; hint?: string } };

/** A write waits for other writers until this share of the time is left: the answer can then still say what blocks it. */
const MARGIN = 0.1;

/** Calls a tool. Never throws: an error is an answer too. */
export async function invoke(tool: Tool, args: unknown, shared: Shared, caller: Caller): Promise<Answer> {
  const began = performance.now();
  const { deadlineMs } = shared;
  const deadline = new AbortController();
  const abort = (message: string, more: { hint?: string; cause?: unknown }): void =>
    deadline.abort(new UserError('interrupted', message, more));
  const timer = setTimeout(abort, deadlineMs, `it took longer than ${deadlineMs / 1000} s`, {
    hint: 'drawers filed until then stay; ask for less, or call again',
  });
  const cancel = (): void => abort('the call was cancelled', { cause: caller.signal.reason });
  if (caller.signal.aborted) cancel();
  caller.signal.addEventListener('abort', cancel, { once: true });
  let what: Record<string, unknown> = {};
  let answer: Answer;
  try {
    const { input, ignored } = parsed(tool, args);
    const call = callOf(tool, shared, caller, deadline.signal, began + deadlineMs);
    const output = await untilAborted(tool.run(input, call), deadline.signal);
    const unknown = ignored.length === 0 ? {} : { ignored_arguments: ignored };
    // The notice comes first, so that a reader knows what follows.
    const result = { notice: NOTICE, ...output, ...unknown };
    what = tool.logged(input, result);
    answer = { ok: true, result };
  } catch (error) {
    answer = { ok: false, result: problemOf(shared.host.known(error) ?? error) };
    what = { error: answer.result.code };
  } finally {
    clearTimeout(timer);
    caller.signal.removeEventListener('abort', cancel);
  }
  if (tool.writes) {
    const ms = Math.round(performance.now() - began);
    const { name = '', version = '' } = caller.client ?? {};
    shared.log?.write({
      agent: agentOf(shared, caller),
      client: `${name} ${version}`.trim(),
      tool: tool.name,
      ok: answer.ok,
      ms,
      ...(await withoutSecrets(what, shared.host)),
    });
  }
  return answer;
}

function agentOf({ agent }: Shared, { client }: Caller): string {
  return tidyAgent(agent ?? client?.name ?? '') || 'mcp';
}

function callOf(tool: Tool, shared: Shared, caller: Caller, signal: AbortSignal, until: number): Call {
  const { host, service } = shared;
  const left = (): number => Math.max(0, until - performance.now());
  return {
    host,
    service,
    signal,
    left,
    through: `mempalace-mcp: ${tool.name}`,
    get waitMs() {
      return left() - shared.deadlineMs * MARGIN;
    },
    agent: agentOf(shared, caller),
    async folders() {
      const named = await caller.folders();
      return named.length > 0 ? named : shared.folders;
    },
  };
}

/**
 * Parses the arguments. Agents send null, empty texts and the text "null" for arguments that they omit, lists of them too,
 * `"true"` for true, and a text or JSON for a list.
 *
 * @returns `ignored`: unknown names, so that an agent notices a misspelt filter
 * @throws UserError `usage` that lists all errors
 */
export function parsed(
  { name, input, destructive }: Pick<Tool, 'name' | 'input' | 'destructive'>,
  args: unknown = {},
) {
  const { shape } = input;
  const ignored: string[] = [];
  let fields: unknown = args ?? {};
  if (isRecord(fields)) {
    const known = Object.entries(fields).flatMap(([key, sent]) => {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (field === undefined) {
        if (!TOLERATED.has(key) && ignored.length < NAMES_SHOWN) ignored.push(key.slice(0, NAME_SHOWN));
        return [];
      }
      const value = given(sent);
      if (value === undefined && field.safeParse(undefined).success) return [];
      const isMeant = (each: unknown): boolean => field.safeParse(each).success;
      const meant = typeof value === 'string' && !isMeant(value) ? meantBy(value).find(isMeant) : undefined;
      return [[key, meant ?? value ?? sent]];
    });
    fields = Object.fromEntries(known);
  }
  const read = input.safeParse(fields);
  const takes = Object.keys(shape).join(', ') || 'no arguments';
  if (!read.success)
    throw new UserError('usage', issuesText(read.error, 'the arguments'), { hint: `${name} takes ${takes}` });
  // An unknown argument may be a misspelt filter: the tool would remove more than was meant.
  if (destructive === true && ignored.length > 0)
    throw new UserError('usage', `${name} has no ${ignored.join(', ')}, and did nothing`, {
      hint: `it takes ${takes}`,
    });
  return { input: read.data, ignored };
}

/** What a text may mean where something else is wanted: its JSON, as of `"true"` and `"[\"a\"]"`, or a list of it. */
function meantBy(text: string): unknown[] {
  try {
    return [given(JSON.parse(text)), [text]];
  } catch {
    return [[text]];
  }
}

/** What an agent means by an argument that it may omit; undefined when it means none. */
function given(value: unknown): unknown {
  if (!Array.isArray(value)) return isOmitted(value) ? undefined : value;
  const items = value
    .filter((item) => !isOmitted(item))
    .map((item) => (isRecord(item) ? withoutNulls(item) : item));
  return items.length === 0 && value.length > 0 ? undefined : items;
}

const isOmitted = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && OMITTED.test(value));

/** Ignored arguments in an answer, and characters of each. */
const NAMES_SHOWN = 20;
const NAME_SHOWN = 64;

/** Some clients send these along. */
const TOLERATED = new Set(['wait_for_previous']);

/** An error in the form that agents get. */
function problemOf(error: unknown): { error: string; code: string; hint?: string } {
  if (!(error instanceof UserError)) {
    return {
      error: `this is a bug in mempalace-toolkit: ${messageOf(error)}`,
      code: 'bug',
      hint: 'report it, with the arguments of the call',
    };
  }
  const { message, code, hint } = error;
  return { error: message, code, ...(hint !== undefined && { hint }) };
}
