import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { contentOf } from '../support/drawers.js';
import { problemsOf } from '../support/soundness.js';
import { traces } from '../support/traces.js';
import { NEEDLES, unredacted } from '../support/unredacted.js';

describe('mempalace scrub', () => {
  it('is completed by the next run after a kill at any point', async () => {
    const { env, history } = await unredacted();
    await env.json('mempalace', ['backup', join(env.home, 'copy.sqlite3')]);
    const started = Date.now();
    await env.json('mempalace', ['scrub']);
    const whole = Date.now() - started;
    const wanted = contentOf(env.palace);
    for (let kill = 0; kill < 2; kill += 1) {
      rmSync(env.palace, { recursive: true });
      await env.json('mempalace', ['restore', join(env.home, 'copy.sqlite3'), '--yes']);
      const child = env.start('mempalace', ['scrub']);
      await sleep((whole * (kill + 1)) / 3);
      child.kill('SIGKILL');
      await child;
      expect(problemsOf(env.palace)).toEqual([]);
      await env.json('mempalace', ['scrub', '--backups']);
      expect(contentOf(env.palace)).toEqual(wanted);
      expect(traces(env, ...NEEDLES)).toEqual([]);
      expect(problemsOf(env.palace)).toEqual([]);
    }
    history.close();
  }, 120_000);
});
