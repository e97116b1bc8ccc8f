import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { UserError } from '../../src/core/errors.js';
import { NOTICE } from '../../src/core/outside.js';
import { invoke, type Shared } from '../../src/mcp/invoke.js';
import { type Call, defineTool, type Host } from '../../src/mcp/tool.js';
import { WRITE_LOG, WriteLog } from '../../src/mcp/write-log.js';
import { field } from '../../src/operations/fields.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import type { PalaceService } from '../../src/service/contract/index.js';
import { temporaryFolder } from '../support/palace.js';

const caller = {
  client: { name: 'test', version: '1' },
  signal: new AbortController().signal,
  folders: async () => [],
};

function shared(changes: Partial<Shared> = {}): Shared & { file: string } {
  const folder = temporaryFolder();
  const unused = (): never => {
    throw new Error('not used here');
  };
  const sanitiser = () => createSanitiser({ redact: true });
  const host = {
    folder,
    write: unused,
    program: unused,
    known: () => undefined,
    sanitiser,
  } as unknown as Host;
  return {
    host,
    service: {} as PalaceService,
    log: new WriteLog(folder, unused),
    agent: undefined,
    folders: [],
    deadlineMs: 5_000,
    file: join(folder, WRITE_LOG),
    ...changes,
  };
}

const tool = (run: (input: { n?: number | undefined }, call: Call) => Promise<unknown>, writes = false) =>
  defineTool({
    name: 'mempalace_x',
    title: 'X',
    description: 'X',
    input: () => z.strictObject({ n: field(z.optional(z.number()), 'n') }),
    core: false,
    writes,
    logged: (_, { n }) => ({ n }),
    run: run as (input: { n?: number | undefined }, call: Call) => Promise<{ n: number }>,
  });

describe('a call', () => {
  it('that exceeds the deadline is cancelled with an error', async () => {
    let reason: unknown;
    const endless = tool(
      (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
          });
        }),
    );
    const answer = await invoke(endless, {}, shared({ deadlineMs: 20 }), caller);
    expect(answer).toMatchObject({
      ok: false,
      result: { code: 'interrupted', error: expect.stringMatching(/longer than 0.02 s/) },
    });
    expect(reason).toBeInstanceOf(UserError);
  });

  it('ends when the client cancels it', async () => {
    const controller = new AbortController();
    const waiting = tool(async (_, { signal }) => {
      controller.abort();
      signal.throwIfAborted();
      return { n: 1 };
    });
    const answer = await invoke(waiting, {}, shared(), { ...caller, signal: controller.signal });
    expect(answer).toMatchObject({ ok: false, result: { code: 'interrupted' } });
  });

  it('answers with the schema’s keys, and with ignored arguments', async () => {
    const echo = tool(async ({ n = 0 }) => ({ n, more: true }));
    expect(await invoke(echo, { n: '3', wrong: 1, wait_for_previous: true }, shared(), caller)).toEqual({
      ok: true,
      result: { notice: NOTICE, n: 3, more: true, ignored_arguments: ['wrong'] },
    });
    expect(await invoke(echo, 'text', shared(), caller)).toMatchObject({
      ok: false,
      result: { code: 'usage', hint: 'mempalace_x takes n' },
    });
  });

  it('of a destructive tool is refused with an unknown argument', async () => {
    let ran = false;
    const destroying = {
      ...tool(async () => {
        ran = true;
        return { n: 1 };
      }, true),
      destructive: true,
    };
    const answer = await invoke(destroying, { wing: 'only this' }, shared(), caller);
    expect(answer).toMatchObject({
      ok: false,
      result: { code: 'usage', error: expect.stringMatching(/has no wing/) },
    });
    expect(ran).toBe(false);
  });

  it('that fails reports the error with a hint; a bug is called one', async () => {
    const refusing = tool(async () => {
      throw new UserError('not-found', 'it is gone', { hint: 'look elsewhere' });
    });
    expect(await invoke(refusing, {}, shared(), caller)).toEqual({
      ok: false,
      result: { error: 'it is gone', code: 'not-found', hint: 'look elsewhere' },
    });
    const broken = tool(async () => {
      throw new TypeError('n is no number');
    });
    expect(await invoke(broken, {}, shared(), caller)).toMatchObject({ ok: false, result: { code: 'bug' } });
  });

  it('is logged if it writes, with the given agent', async () => {
    const writing = tool(async () => ({ n: 7, content: 'private' }), true);
    const all = shared({ agent: 'me' });
    await invoke(writing, { content: 'private' }, all, caller);
    const { time, pid, ms, ...rest } = JSON.parse(readFileSync(all.file, 'utf8'));
    expect(rest).toEqual({ agent: 'me', client: 'test 1', tool: 'mempalace_x', ok: true, n: 7 });
    expect([Date.parse(time) > 0, pid, typeof ms]).toEqual([true, process.pid, 'number']);
  });
});
