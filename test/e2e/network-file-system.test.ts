import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { filledMachine } from '../support/real-palace.js';
import { canMountFuse, sharedFolder } from '../support/shared-folder.js';
import { problemsOf } from '../support/soundness.js';

const filledEnv = filledMachine();

/** The file's header (fileformat2.html): 2 for a write-ahead log, 1 for a rollback journal. */
const journalOf = (palace: string) => (readFileSync(palaceFile(palace))[18] === 2 ? 'log' : 'rollback');

describe.skipIf(!canMountFuse())(
  'a palace on a shared file system (needs bindfs, and permission to mount)',
  () => {
    it('uses a rollback journal and says why; back on a local disk, it uses a WAL', async () => {
      const { env, shop } = await filledEnv();
      expect(journalOf(env.palace)).toBe('log');
      const { mounted, behind } = sharedFolder();
      const palace = join(mounted, 'palace');
      cpSync(env.palace, palace, { recursive: true });

      env.edit(join(shop, 'docs/handbook.md'), '# Handbook\n\nHeavier than a heron.\n');
      const run = await env.run('mempalace-docs', [shop, '--palace', palace]);
      expect(run).toMatchObject({ exitCode: 0 });
      expect(run.stderr).toContain(
        `warning: ${palace} is on a network or shared file system (FUSE): only one machine at a time may write there`,
      );
      expect(journalOf(palace)).toBe('rollback');
      expect(readdirSync(palace).filter((name) => /-(?:wal|shm|journal)$/.test(name))).toEqual([]);
      const found = await env.json('mempalace', ['search', 'heron', '--palace', palace]);
      expect(JSON.stringify(found)).toContain('Heavier than a heron.');
      const status = await env.json('mempalace', ['status', '--palace', palace]);
      expect(status.remarks).toMatchObject([{ text: expect.stringContaining('(FUSE)') }]);
      const doctor = await env.run('mempalace', ['doctor', '--palace', palace]);
      expect(doctor.stdout).toMatch(/^warn {2}file system/m);
      expect(problemsOf(palace)).toEqual([]);

      const local = join(behind, 'palace');
      await env.json('mempalace-docs', [shop, '--palace', local]);
      expect(journalOf(local)).toBe('log');
    });

    it('supports repair, forget and restore', async () => {
      const { env } = await filledEnv();
      const palace = join(sharedFolder().mounted, 'palace');
      cpSync(env.palace, palace, { recursive: true });
      const before = contentOf(palace);
      await env.json('mempalace', ['repair', '--yes', '--palace', palace]);
      expect(contentOf(palace)).toEqual(before);
      const copy = join(env.home, 'copy.sqlite3');
      await env.json('mempalace', ['backup', copy, '--palace', palace]);
      const { wings } = (await env.json('mempalace', ['list', 'wings', '--palace', palace])) as {
        wings: { wing: string }[];
      };
      const gone = await env.json('mempalace', [
        ...['forget', '--wing', wings[0]?.wing ?? '', '--yes', '--palace', palace],
      ]);
      expect(gone).toMatchObject({ log_emptied: true });
      expect(contentOf(palace)).not.toEqual(before);
      await env.json('mempalace', ['restore', copy, '--yes', '--palace', palace]);
      expect(problemsOf(palace)).toEqual([]);
      expect(existsSync(`${palaceFile(palace)}-wal`)).toBe(false);
    });
  },
);
