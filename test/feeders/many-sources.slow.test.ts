import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MANIFEST_NAME, manifestSchema } from '../../src/core/contract.js';
import { temporaryFolder } from '../support/palace.js';

const SOURCES = 50_000;
const dist = (path: string) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));

/** Runs a script about the staging folder in a process with a heap of this number of megabytes. */
function within(megabytes: number, cache: string, script: string): void {
  const opening = `
    const { openStaging } = await import(${JSON.stringify(dist('feeders/staging/staging.js'))});
    const cache = ${JSON.stringify(cache)};
    const prefix = 'mempalace-session/wing_a';
    const folder = cache + '/' + prefix;
    const staging = await openStaging({ cache, prefix, command: 'test', waitMs: 0 });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${megabytes}`, '--input-type=module', '-e', `${opening}${script};staging.close()`],
    { encoding: 'utf8' },
  );
  expect(status, stderr.slice(-2_000)).toBe(0);
}

it('the manifest of many sources is written and read in pieces, never as a whole', () => {
  const cache = temporaryFolder();
  // The records need two thirds of the heap; a copy of them, or the whole manifest, would exceed it.
  within(
    115,
    cache,
    `
    for (let i = 0; i < ${SOURCES}; i += 1) {
      const name = 'a-title-of-some-words_ses_' + String(i).padStart(26, '0') + '.jsonl';
      staging.put({
        path: folder + '/' + name, sourceFile: prefix + '/' + name,
        sourceKey: 'opencode:ses_' + i, origin: 'opencode://ses_' + i, kind: 'conversation',
        wing: 'wing_a', room: 'general', mtimeMs: i, title: 'A title of some words ' + i,
        sessionId: 'ses_' + i, directory: '/home/dev/project', bytes: i, hash: String(i).padStart(64, '0'),
        madeBy: 'test 1', fingerprint: String(i).padStart(110, '0'),
      });
    }
    await staging.save({ skipped: [] })`,
  );
  within(75, cache, '');
  const manifest = join(cache, 'mempalace-session', 'wing_a', MANIFEST_NAME);
  const { sources } = manifestSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  const keys = sources.map(({ sourceKey }) => sourceKey);
  expect(new Set(keys).size).toBe(SOURCES);
  expect(keys).toEqual([...keys].sort());
});
