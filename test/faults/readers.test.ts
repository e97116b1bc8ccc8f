import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Palace, palaceFile } from '../../src/store/index.js';
import { wordyDocument } from '../support/documents.js';
import { problemsIn, problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';
import { times } from '../support/thorough.js';

describe('a search', () => {
  it('never fails and never waits while runs file, remove and compact', async () => {
    const notes = times(400, 1_200);
    const env = new TestEnv();
    const files = Array.from({ length: notes }, (_, i) => [`n/${i}.md`, `note ${i} on zebra${i}`] as const);
    const project = env.project('shop', { 'keep.md': wordyDocument(1), ...Object.fromEntries(files) });
    await env.json('mempalace-docs', [project]);
    const size = statSync(palaceFile(env.palace)).size;
    rmSync(join(project, 'n'), { recursive: true });
    env.edit(join(project, 'keep.md'), wordyDocument(1) + wordyDocument(2));
    const reader = Palace.read(env.palace);
    const [kept] = reader.reading.drawersById(reader.lexical.candidates({ words: ['w7919'] }, 1));
    if (kept === undefined) throw new Error('nothing found');
    let running = true;
    const run = env.spawnJson('mempalace-docs', [project, '--allow-removals']).finally(() => {
      running = false;
    });
    let asked = 0;
    for (; running; asked += 1) {
      const [found] = reader.snapshot(() =>
        reader.reading.drawersById(reader.lexical.candidates({ words: ['w7919'] }, 1)),
      );
      expect(found?.text).toBe(kept.text);
      const fresh = Palace.read(env.palace);
      const whole = fresh.snapshot(() => [fresh.drawerCount(), fresh.lexical.size()]);
      expect(whole[0]).toBe(whole[1]);
      fresh.close();
      await sleep(5);
    }
    expect(await run).toMatchObject({ removed: notes });
    expect(asked).toBeGreaterThan(20);
    expect(problemsIn(reader)).toEqual([]);
    reader.close();
    await env.json('mempalace-docs', [project, '--force']);
    expect(statSync(palaceFile(env.palace)).size).toBeLessThan(size / 3);
    expect(problemsOf(env.palace)).toEqual([]);
  });
});
