import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { countUses, USES_FILE } from '../../src/uses/log.js';
import { schemas } from '../support/json-schemas.js';
import { TestEnv } from '../support/test-env.js';

const DAY = 86_400_000;

/** A palace of files with a used, an old and a new document, and uses that were counted for 60 days. */
async function lived() {
  const env = new TestEnv();
  const folder = join(env.home, 'palace');
  await env.json('mempalace', ['init', '--layout', 'palace', folder, '--yes']);
  env.project('palace', {
    'project_rooms/rounding.md': '# Rounding\n\nMoney is rounded once.\n',
    'project_rooms/old.md': '---\ndate: 2020-01-01\n---\n# Fax\n\nThe fax is on the first floor.\n',
    'reflection_wing/lamps.md': '---\ntype: principle card\n---\n# Lamps\n\nLamps are switched off.\n',
  });
  await env.json('mempalace-docs', [folder]);
  const idOf = async (name: string) => {
    const { hits } = schemas.search.parse(
      await env.json('mempalace', ['search', name, '--source', `${name}.md`]),
    );
    return hits[0]?.drawer_id ?? '';
  };
  const [rounding, lamps] = [await idOf('rounding'), await idOf('lamps')];
  env.env.MEMPALACE_USES = 'on';
  for (const days of [60, 2, 1]) {
    for (const id of [rounding, lamps]) {
      countUses(env.palace, 'found', [id], Date.now() - days * DAY);
      countUses(env.palace, 'opened', [id], Date.now() - days * DAY);
    }
  }
  const report = async () => {
    const { proposals } = schemas.metabolism.parse(await env.json('mempalace', ['suggestions']));
    return new Map(proposals.map((each) => [each.step, each]));
  };
  const apply = async (step: 'reflect' | 'constitution' | 'archive' | 'cold', ...flags: string[]) => {
    const id = (await report()).get(step)?.id ?? '';
    return schemas.metabolismApplied.parse(
      await env.json('mempalace', ['suggestions', '--apply', id, ...flags]),
    );
  };
  return { env, folder, rounding, report, apply };
}

describe('mempalace suggestions', () => {
  it('reports, and changes nothing', async () => {
    const { env, rounding, report } = await lived();
    const before = env.fingerprint();
    const proposals = await report();
    expect([...proposals.keys()]).toEqual(['reflect', 'constitution', 'archive']);
    expect(proposals.get('reflect')).toMatchObject({
      output: 'principle-card',
      drawer_id: rounding,
      found: 3,
      opened: 3,
      days: 3,
    });
    const { stdout, stderr } = await env.run('mempalace', ['suggestions']);
    expect(stderr).toMatch(/used since \d{4}-\d\d-\d\d: 2 drawers/);
    expect(stdout).toMatch(
      /^reflect-[0-9a-f]{8} {2}write about it in the reflection wing \(principle-card\); .*│ wing_palace\/project_rooms: Rounding$/m,
    );
    expect(env.fingerprint()).toBe(before);
  });

  it('writes a draft of what is often used, of the type that is wanted, and not again', async () => {
    const { env, folder, report, apply } = await lived();
    const { file } = await apply('reflect', '--as', 'prompt-kernel');
    expect(file).toMatch(/reflection_wing\/rounding-[0-9a-f]{8}\.md$/);
    expect(readFileSync(file ?? '', 'utf8')).toContain('\n> Money is rounded once.\n');
    await env.json('mempalace-docs', [folder]);
    expect((await report()).has('reflect')).toBe(false);
    const found = ['search', 'rounded', '--type', 'prompt-kernel'];
    expect(schemas.search.parse(await env.json('mempalace', found)).hits).toHaveLength(1);
  });

  it('has wake-up tell what proved itself, when a person accepts it; the palace records it', async () => {
    const { env, report, apply } = await lived();
    expect((await env.run('mempalace', ['wake-up', '--everywhere'])).stdout).not.toContain('Lamps are');
    expect(await apply('constitution')).toMatchObject({ file: null });
    expect((await env.run('mempalace', ['wake-up', '--everywhere'])).stdout).toContain(
      'Lamps are switched off',
    );
    expect((await report()).has('constitution')).toBe(false);
    const { runs } = schemas.listRuns.parse(await env.json('mempalace', ['list', 'runs']));
    expect(runs[0]?.command).toBe('mempalace metabolism --apply');
  });

  it('moves what is old and unused into the archive', async () => {
    const { env, folder, report, apply } = await lived();
    const { file } = await apply('archive');
    expect(file).toBe(join(folder, 'archive_basement/project_rooms/old.md'));
    expect(existsSync(join(folder, 'project_rooms/old.md'))).toBe(false);
    await env.json('mempalace-docs', [folder]);
    expect((await report()).has('archive')).toBe(false);
    expect(
      schemas.search.parse(await env.json('mempalace', ['search', 'fax'])).hits.map(({ room }) => room),
    ).not.toContain('archive_basement');
  });

  it.skipIf(!existsSync('/usr/bin/script'))('asks at a terminal, one proposal after the other', async () => {
    const { env, folder, report } = await lived();
    const command = [process.execPath, ...env.argv('mempalace'), 'suggestions', '--interactive'].join(' ');
    // script(1) of Linux provides a terminal.
    const asked = execa('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: { ...env.env, TERM: 'xterm' },
      extendEnv: false,
      reject: false,
      stdin: 'pipe',
      all: true,
      timeout: 60_000,
    });
    const answers = ['y', 'n', ''];
    let seen = '';
    asked.all?.on('data', (data: Buffer) => {
      seen += data;
      const questions = seen.split('[y/N] ').length - 1;
      while (answers.length > 3 - questions) asked.stdin?.write(`${answers.shift()}\r`);
    });
    const { exitCode } = await asked;
    expect([exitCode, answers]).toEqual([0, []]);
    expect(seen.match(/\[y\/N\] /g)).toHaveLength(3);
    expect(seen.match(/not confirmed/g)).toHaveLength(2);
    expect(existsSync(join(folder, 'project_rooms/old.md'))).toBe(true);
    await env.json('mempalace-docs', [folder]);
    expect([...(await report()).keys()].sort()).toEqual(['archive', 'constitution']);
  });

  it('makes a room cold', async () => {
    const { env, apply } = await lived();
    await env.json('mempalace-docs', [
      env.project('shop', { 'attic/a.md': '---\ndate: 2020-01-01\n---\nDusty.\n' }),
    ]);
    await apply('cold');
    const settings = readFileSync(join(env.home, '.config/mempalace/config.yaml'), 'utf8');
    expect(settings).toContain('- wing_shop/attic');
  });

  it('calls nothing unused that was not observed, and says so', async () => {
    const { env, report } = await lived();
    writeFileSync(join(env.palace, USES_FILE), '');
    expect([...(await report()).keys()]).toEqual([]);
    expect((await env.run('mempalace', ['suggestions'])).stderr).toContain('no uses were counted yet');
    countUses(env.palace, 'found', ['drawer_gone'], Date.now() - DAY);
    expect((await env.run('mempalace', ['suggestions'])).stderr).toContain('that takes 30 days');
  });

  it('says what it cannot do', async () => {
    const { env } = await lived();
    const refused = async (...args: string[]) => {
      const { exitCode, stderr } = await env.run('mempalace', ['suggestions', ...args]);
      return `${exitCode} ${stderr}`;
    };
    expect(await refused('--apply', 'reflect-x')).toMatch(/^1 .*there is no suggestion "reflect-x"/s);
    expect(await refused('--interactive')).toMatch(/^2 .*needs a terminal/s);
    expect(await refused('--apply', 'a', '--interactive')).toMatch(/^2 .*give one of them/s);
    expect(await refused('--as', 'prompt-kernel')).toMatch(/^2 .*are for --apply/s);
  });
});
