import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/palace.js';
import { shim } from '../support/tools.js';

const NATIVE = fileURLToPath(new URL('../../scripts/native.mjs', import.meta.url));

describe('a build below a path with a blank', () => {
  it.each([
    ['takes away the folder that the makefile makes of half of the path', []],
    ['leaves such a folder that holds something', ['mine']],
  ])('%s', (_, content) => {
    const base = temporaryFolder();
    const scripts = join(base, 'my tools', 'scripts');
    mkdirSync(scripts, { recursive: true });
    copyFileSync(NATIVE, join(scripts, 'native.mjs'));
    for (const name of content) {
      mkdirSync(join(base, 'my'));
      writeFileSync(join(base, 'my', name), '');
    }
    // As make does with `mkdir -p $(dir)`.
    shim(join(base, 'shims'), 'npm', `echo ran >"${base}/ran"; mkdir -p "${base}/my"`);
    spawnSync(process.execPath, [join(scripts, 'native.mjs')], {
      env: { PATH: [join(base, 'shims'), process.env.PATH].join(delimiter), HOME: base },
    });
    expect([existsSync(join(base, 'ran')), existsSync(join(base, 'my'))]).toEqual([true, content.length > 0]);
  });
});
