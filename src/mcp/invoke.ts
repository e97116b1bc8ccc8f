import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, UserError } from '../core/errors.js';
import { issuesText } from '../core/issues.js';
import { NOTICE } from '../core/outside.js';
import { tidyAgent } from './fields.js';
import type { PalaceHandle } from './palace-handle.js';
import type { Call, Host, Tool } from './tool.js';
import { unlessAborted, type WarmModel } from './warm-model.js';
import type { WriteLog } from './write-log.js';

/** What all calls of a server share. */
export interface Shared {
  host: Host;
  handle: PalaceHandle;
  model: WarmModel;
  /** Undefined where nothing is written. */
  log: WriteLog | undefined;
  /** `--agent`. */
  agent: string | undefined;
  /** The longest that a call may take, in milliseconds. */
  deadlineMs: number;
}

/** Who calls, and until when. */
export interface Caller {
  /** Name and version that the client gave of itself. */
  client: { name: string; version: string } | undefined;
  /** Aborts when the client cancels or the server ends. */
  signal: AbortSignal;
}

/** What a call gave: an object for the agent, or what went wrong. */
export type Answer =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; result: { error: string; code: string; hint?: string } };

/** Another writer is waited for until this share of the time is left, so that the agent is told what holds it up. */
const MARGIN = 0.1;
/** Between two attempts to write. */
const PAUSE_MS = 50;

/** Calls a tool. Never throws: what goes wrong is an answer, too. */
export async function invoke(tool: Tool, args: unknown, shared: Shared, caller: Caller): Promise<Answer> {
  const began = performance.now();
  const { deadlineMs } = shared;
  const deadline = new AbortController();
  const timer = setTimeout(
    () =>
      deadline.abort(
        new UserError('interrupted', `it took longer than ${deadlineMs / 1000} s`, { hint: SLOW }),
      ),
    deadlineMs,
  );
  const cancel = (): void =>
    deadline.abort(new UserError('interrupted', 'the call was cancelled', { cause: caller.signal.reason }));
  if (caller.signal.aborted) cancel();
  caller.signal.addEventListener('abort', cancel, { once: true });
  let what: Record<string, unknown> = {};
  let answer: Answer;
  try {
    const input = parsed(tool, args);
    const call = callOf(tool, shared, caller, deadline.signal, began + deadlineMs);
    const output = await unlessAborted(tool.run(input, call), deadline.signal);
    // First, so that a reader knows what follows.
    const result = { notice: NOTICE, ...tool.output.parse(output), ...ignored(tool, args) };
    what = tool.logged?.(input, result) ?? {};
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
      what: await withoutSecrets(what, shared.host),
    });
  }
  return answer;
}

/** Paths and names of files may have a secret in them. */
async function withoutSecrets(what: Record<string, unknown>, host: Host): Promise<Record<string, unknown>> {
  const texts = Object.values(what).some((value) => typeof value === 'string');
  if (!texts) return what;
  const { value } = await (await host.sanitiser()).cleanValue(what);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const SLOW = 'what was filed until then stays; ask for less, or call again';

function agentOf({ agent }: Shared, { client }: Caller): string {
  return tidyAgent(agent ?? client?.name ?? '') || 'mcp';
}

function callOf(tool: Tool, shared: Shared, caller: Caller, signal: AbortSignal, until: number): Call {
  const { host, handle, model } = shared;
  const left = (): number => Math.max(0, until - performance.now());
  const agent = agentOf(shared, caller);
  return {
    host,
    signal,
    left,
    agent,
    model,
    palace: async () => handle.get(),
    reconnect: async () => handle.again(),
    async write(work) {
      for (;;) {
        const before = left();
        try {
          return await host.write(tool.name, work);
        } catch (error) {
          const wait = error instanceof UserError && error.code === 'locked';
          const now = left();
          // The next attempt may take as long as this one did.
          if (!wait || now - (before - now) - PAUSE_MS < shared.deadlineMs * MARGIN) throw error;
          await sleep(PAUSE_MS, undefined, { signal });
        }
      }
    },
  };
}

/** @throws UserError `usage` that says all that is wrong with the arguments */
function parsed(tool: Tool, args: unknown): Record<string, unknown> {
  const read = tool.input.safeParse(lenient(tool, args ?? {}));
  const unknown = unknownIn(tool, args);
  if (read.success && tool.destructive === true && unknown.length > 0) {
    // It may be a filter, without which more would be taken away than was meant.
    throw new UserError('usage', `${tool.name} has no ${unknown.join(', ')}, and did nothing`, {
      hint: `it takes ${Object.keys(tool.input.shape).join(', ')}`,
    });
  }
  if (read.success) return read.data;
  throw new UserError('usage', issuesText(read.error, 'the arguments'), {
    hint: `${tool.name} takes ${Object.keys(tool.input.shape).join(', ') || 'no arguments'}`,
  });
}

/** What agents mean by null, an empty text, and `"true"`, where nothing or a truth value may stand. */
function lenient({ input }: Tool, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const meant = Object.entries(args).flatMap(([name, value]) => {
    const field = Object.hasOwn(input.shape, name) ? input.shape[name] : undefined;
    if (field === undefined) return [];
    if ((value === null || value === '') && field.safeParse(undefined).success) return [];
    const truth = value === 'true' || value === 'false';
    return [[name, truth && !field.safeParse(value).success ? value === 'true' : value]];
  });
  return Object.fromEntries(meant);
}

/** Arguments that the tool does not have: an agent that misspelt a filter must know. */
function unknownIn(tool: Tool, args: unknown): string[] {
  if (typeof args !== 'object' || args === null) return [];
  return Object.keys(args)
    .filter((name) => !Object.hasOwn(tool.input.shape, name) && !TOLERATED.has(name))
    .slice(0, NAMES_SHOWN)
    .map((name) => name.slice(0, NAME_SHOWN));
}

function ignored(tool: Tool, args: unknown): { ignored_arguments?: string[] } {
  const unknown = unknownIn(tool, args);
  return unknown.length === 0 ? {} : { ignored_arguments: unknown };
}

/** Of arguments that there are not: what an answer names. */
const NAMES_SHOWN = 20;
const NAME_SHOWN = 64;

/** Sent along by some clients. */
const TOLERATED = new Set(['wait_for_previous']);

/** What went wrong, as an agent is told it. */
export function problemOf(error: unknown): { error: string; code: string; hint?: string } {
  if (!(error instanceof UserError)) {
    return {
      error: `this is a bug in mempalace-toolkit: ${messageOf(error)}`,
      code: 'bug',
      hint: 'report it, with what was asked for',
    };
  }
  const { message, code, hint } = error;
  return { error: message, code, ...(hint === undefined ? {} : { hint }) };
}
