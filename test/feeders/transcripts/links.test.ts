import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { containsTranscripts } from '../../../src/feeders/transcripts/contains.js';
import { filesBelow } from '../../../src/feeders/transcripts/files-below.js';
import { homeOfLogs, LOG_HARNESSES } from '../../support/harness-fixtures.js';
import { temporaryFolder } from '../../support/palace.js';
import { readFolder } from '../../support/staged-transcripts.js';
import { turn } from '../../support/talks.js';

const file = (...parts: string[]) => {
  const path = join(...parts);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{}\n');
  return path;
};

describe('links below a folder of sessions', () => {
  it('show what a folder of nothing else contains', async () => {
    const [home, disk] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(file(disk, 'shop', 'a.jsonl'), turn('user', 'Which port?', { sessionId: 'a' }));
    symlinkSync(join(disk, 'shop'), join(home, 'shop'));
    expect(await containsTranscripts(home)).toBe(true);
    rmSync(join(disk, 'shop', 'a.jsonl'));
    expect(await containsTranscripts(home)).toBe(false);
  });

  it('to folders and files are followed, each file once, by its own path if it is in the folder', async () => {
    const [home, disk] = [temporaryFolder(), temporaryFolder()];
    const own = file(home, 'z-own', 'a.jsonl');
    file(disk, 'shop', 'b.jsonl');
    file(disk, 'c.jsonl');
    symlinkSync(join(disk, 'shop'), join(home, 'shop'));
    symlinkSync(join(disk, 'shop'), join(home, 'shop-again'));
    symlinkSync(join(home, 'z-own'), join(home, 'a-link'));
    symlinkSync(join(disk, 'c.jsonl'), join(home, 'z-own', 'c.jsonl'));
    symlinkSync(own, join(home, 'copy.jsonl'));
    expect(await filesBelow(home, ['**/*.jsonl'])).toEqual([
      join(home, 'shop', 'b.jsonl'),
      own,
      join(home, 'z-own', 'c.jsonl'),
    ]);
  });

  it('in a circle, to a folder above and without a target end nothing', async () => {
    const outer = temporaryFolder();
    const home = join(outer, 'home');
    const own = file(home, 'shop', 'a.jsonl');
    file(outer, 'other.jsonl');
    symlinkSync(outer, join(home, 'above'));
    symlinkSync('/', join(home, 'root'));
    symlinkSync(home, join(home, 'shop', 'loop'));
    symlinkSync('self.jsonl', join(home, 'self.jsonl'));
    symlinkSync(join(home, 'gone'), join(home, 'dangling'));
    symlinkSync(join(home, 'gone.jsonl'), join(home, 'dangling.jsonl'));
    symlinkSync('/dev/zero', join(home, 'endless.jsonl'));
    const [a, b] = [join(outer, 'a'), join(outer, 'b')];
    for (const folder of [a, b]) mkdirSync(folder);
    symlinkSync(a, join(b, 'to-a'));
    symlinkSync(b, join(a, 'to-b'));
    symlinkSync(a, join(home, 'pair'));
    file(b, 'b.jsonl');
    expect(await filesBelow(home, ['**/*.jsonl'])).toEqual([join(home, 'pair', 'to-b', 'b.jsonl'), own]);
  });

  it.each(LOG_HARNESSES)('are followed for %s', async (harness) => {
    const { home } = homeOfLogs(harness);
    const sound = await readFolder(home);
    const disk = join(temporaryFolder(), 'disk');
    renameSync(home, disk);
    mkdirSync(home);
    symlinkSync(disk, join(home, 'linked'));
    const linked = await readFolder(home);
    expect(linked.conversations.size).toBe(sound.conversations.size);
    expect(linked.skipped.filter(({ problem }) => problem)).toEqual([]);
  });
});
