import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import type { Embedder } from '../../src/embedding/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { countingEmbedder } from '../support/embedder.js';
import { TINY_MODEL } from '../support/palace.js';

const never = new AbortController().signal;

/** A model that the test loads, with a clock that the test sets. */
function bench(forSearch = true) {
  const loads: { resolve: (embedder: Embedder) => void; reject: (error: unknown) => void }[] = [];
  let now = 0;
  const model = new WarmModel(() => new Promise((resolve, reject) => loads.push({ resolve, reject })), {
    clock: () => now,
    forSearch,
  });
  return {
    model,
    loads,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the model', () => {
  it('is loaded once; calls that do not wait get the reason', async () => {
    const { model, loads } = bench();
    expect(model.now(TINY_MODEL)).toMatchObject({
      embedder: undefined,
      reason: expect.stringMatching(/being loaded/),
    });
    const waiting = model.wait(TINY_MODEL, never);
    expect(loads).toHaveLength(1);
    loads[0]?.resolve(countingEmbedder());
    await expect((await waiting).embed(['x'])).resolves.toHaveLength(1);
    expect(model.now(TINY_MODEL)).toMatchObject({ reason: undefined });
  });

  it('is loaded only by what waits for it when searches use words alone', async () => {
    const { model, loads } = bench(false);
    const nothing = { embedder: undefined, reason: undefined };
    expect(model.now(TINY_MODEL)).toEqual(nothing);
    expect(loads).toHaveLength(0);
    const waiting = model.wait(TINY_MODEL, never);
    loads[0]?.resolve(countingEmbedder());
    await expect((await waiting).embed(['x'])).resolves.toHaveLength(1);
    expect(model.now(TINY_MODEL)).toEqual(nothing);
  });

  it('is loaded again after its thread ended, and after a pause if that fails', async () => {
    const { model, loads, pass } = bench();
    const first = model.wait(TINY_MODEL, never);
    loads[0]?.resolve(
      countingEmbedder(() => {
        throw new UserError('failed', 'the embedding thread ended unexpectedly');
      }),
    );
    await first;
    await expect(model.now(TINY_MODEL).embedder?.embed(['x'])).rejects.toThrow('ended unexpectedly');
    expect(model.now(TINY_MODEL).reason).toMatch('ended unexpectedly');
    pass(250);
    expect(model.now(TINY_MODEL).reason).toMatch('ended unexpectedly');
    expect(model.now(TINY_MODEL).reason).toMatch('being loaded');
    expect(loads).toHaveLength(2);
    loads[1]?.reject(new UserError('not-found', 'its files are gone'));
    await settled();
    pass(300);
    expect(model.now(TINY_MODEL).reason).toMatch('its files are gone');
    await expect(model.wait(TINY_MODEL, never)).rejects.toThrow('its files are gone');
    pass(300);
    const again = model.wait(TINY_MODEL, never);
    expect(loads).toHaveLength(3);
    loads[2]?.resolve(countingEmbedder());
    await expect((await again).embed(['x'])).resolves.toHaveLength(1);
  });

  it('reports a failure even when its pause has passed before the next call', async () => {
    const { model, loads, pass } = bench();
    expect(model.now(TINY_MODEL).reason).toMatch('being loaded');
    loads[0]?.reject(new UserError('failed', 'out of memory'));
    await settled();
    pass(10_000);
    expect(model.now(TINY_MODEL).reason).toMatch('out of memory');
    expect(loads).toHaveLength(2);
    expect(model.now(TINY_MODEL).reason).toMatch('being loaded');
  });

  it('stays when a call is cancelled while it embeds', async () => {
    const { model, loads } = bench();
    const cancelled = new AbortController();
    const waiting = model.wait(TINY_MODEL, cancelled.signal);
    loads[0]?.resolve({
      ...countingEmbedder(),
      embed: (_texts, _role, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    });
    const vectors = (await waiting).embed(['x']);
    cancelled.abort('cancelled');
    await expect(vectors).rejects.toBe('cancelled');
    expect(model.now(TINY_MODEL)).toMatchObject({ reason: undefined });
    expect(loads).toHaveLength(1);
  });

  it('is loaded once more by a waiting call', async () => {
    const { model, loads } = bench();
    const broken = countingEmbedder(() => {
      throw new UserError('failed', 'the embedding thread ended unexpectedly');
    });
    const first = model.wait(TINY_MODEL, never);
    loads[0]?.resolve(broken);
    const vectors = (await first).embed(['x']);
    await settled();
    await settled();
    loads[1]?.resolve(countingEmbedder());
    await expect(vectors).resolves.toHaveLength(1);
    const second = (await model.wait(TINY_MODEL, never)).embed(['x']);
    await expect(second).resolves.toHaveLength(1);
    expect(loads).toHaveLength(2);
  });

  it('that fails repeatedly is not loaded more often than that', async () => {
    const { model, loads } = bench();
    const fail = () =>
      countingEmbedder(() => {
        throw new UserError('failed', 'the embedding thread ended unexpectedly');
      });
    const first = model.wait(TINY_MODEL, never);
    loads[0]?.resolve(fail());
    const vectors = expect((await first).embed(['x'])).rejects.toThrow('ended unexpectedly');
    await settled();
    await settled();
    loads[1]?.resolve(fail());
    await vectors;
    expect(loads).toHaveLength(2);
  });

  it('is replaced when the palace contains vectors of another', async () => {
    const { model, loads } = bench();
    const first = model.wait(TINY_MODEL, never);
    loads[0]?.resolve(countingEmbedder());
    await first;
    expect(model.now({ ...TINY_MODEL, id: 'other' }).embedder).toBeUndefined();
    expect(loads).toHaveLength(2);
  });

  it('is not waited for after an abort, or loaded after it is closed', async () => {
    const { model, loads } = bench();
    const controller = new AbortController();
    const waiting = model.wait(TINY_MODEL, controller.signal);
    controller.abort(new UserError('interrupted', 'enough'));
    await expect(waiting).rejects.toThrow('enough');
    const closing = model.close();
    let closed = false;
    loads[0]?.resolve({
      ...countingEmbedder(),
      close: async () => {
        closed = true;
      },
    });
    await closing;
    expect(closed).toBe(true);
    await expect(model.wait(TINY_MODEL, never)).rejects.toThrow(/ends/);
    expect(loads).toHaveLength(1);
  });
});
