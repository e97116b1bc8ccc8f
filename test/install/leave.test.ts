import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGED_LOCKFILE, createCheckout, LOCKFILE, skillOf } from './checkout.js';

let checkout: ReturnType<typeof createCheckout>;
beforeEach(() => {
  checkout = createCheckout();
});
afterEach(() => checkout.remove());

function write(path: string, text = '') {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const home = (...parts: string[]) => join(checkout.home, ...parts);

describe('--dry-run', () => {
  it('names every step and changes neither HOME nor the checkout', () => {
    const before = checkout.snapshot();
    const run = checkout.run(['--dry-run', '--path', '--schedule', 'cron', '--backfill', '.']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    for (const step of ['recorded: the Node', 'installed: packages', 'built: the programs']) {
      expect(run.stdout).toContain(`would be ${step}`);
    }
    expect(run.stdout).toContain(`would be linked: ${checkout.bin}/mempalace-docs`);
    expect(run.stdout).toContain(`would be linked: ${skillOf(checkout)}`);
    expect(run.stdout).toContain('would be linked: the manuals and completions of the build, below');
    expect(run.stdout).toContain(`would be written: the PATH line, into ${home('.bashrc')}`);
    expect(run.stdout).toContain('would be scheduled: weekly runs, with cron');
    expect(run.stdout).toContain(`would be filed: the documents of`);
    expect(run.stdout).toContain('A dry run: nothing was changed.');
    expect(checkout.snapshot()).toEqual(before);
  });

  it('of --uninstall names each file once', () => {
    const zsh = { SHELL: '/bin/zsh' };
    checkout.run(['--path'], zsh);
    const run = checkout.run(['--uninstall', '--dry-run'], zsh);
    expect(run.stdout.split(`the PATH line in ${home('.zshrc')}`)).toHaveLength(2);
  });

  it('of --uninstall changes nothing', () => {
    checkout.run(['--path']);
    write(home('.mempalace/palace/palace.sqlite3'), 'rows');
    const before = checkout.snapshot();
    const run = checkout.run(['--uninstall', '--purge', '--dry-run']);
    expect(run.stdout).toContain(`would be removed: ${checkout.bin}/mempalace\n`);
    expect(run.stdout).toContain(`would be deleted: ${home('.mempalace/palace/palace.sqlite3')}`);
    expect([run.code, checkout.snapshot()]).toEqual([0, before]);
  });
});

describe('--check', () => {
  it('without an install: names what is missing, exits with 1, and changes nothing', () => {
    const before = checkout.snapshot();
    const run = checkout.run(['--check']);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('run ./install.sh')]);
    for (const what of ['the Node of the programs', 'packages', 'the build', `${checkout.bin}/mempalace`]) {
      expect(run.stdout).toContain(`missing    ${what}`);
    }
    expect(checkout.snapshot()).toEqual(before);
  });

  it('of a complete install exits with 0, even without node on PATH; each problem is named, with exit code 1', () => {
    checkout.run();
    expect(checkout.run(['--check'])).toMatchObject({ code: 0, stderr: '' });
    const amiss: [string, () => void, () => void][] = [
      [
        'outdated   packages',
        () => write(join(checkout.root, 'package-lock.json'), CHANGED_LOCKFILE),
        () => write(join(checkout.root, 'package-lock.json'), LOCKFILE),
      ],
      [
        'outdated   the build',
        () => write(join(checkout.root, 'sources'), '2'),
        () => write(join(checkout.root, 'sources'), '1'),
      ],
      [
        `missing    ${checkout.bin}/mempalace-docs`,
        () => rmSync(join(checkout.bin, 'mempalace-docs')),
        () => checkout.run(),
      ],
      [
        'missing    1 of 2 manuals and completions',
        () => rmSync(home('.local/share/man/man1/mempalace.1')),
        () => checkout.run(),
      ],
      [
        `foreign    ${skillOf(checkout)}`,
        () => {
          rmSync(skillOf(checkout));
          write(skillOf(checkout), 'mine');
        },
        () => rmSync(skillOf(checkout)),
      ],
      [
        'missing    the Node of the programs: /gone/node does not exist',
        () => write(join(checkout.root, '.node-path'), '/gone/node\n'),
        () => {},
      ],
    ];
    for (const [words, spoil, mend] of amiss) {
      spoil();
      expect(checkout.run(['--check'])).toMatchObject({ code: 1, stdout: expect.stringContaining(words) });
      mend();
    }
  });
});

describe('--uninstall', () => {
  it('leaves HOME as it was before, without a question', () => {
    write(home('.bashrc'), 'alias ll="ls -l"\n');
    mkdirSync(home('.local'));
    const before = checkout.tree();
    checkout.run(['--path']);
    expect(checkout.tree()).not.toEqual(before);
    const run = checkout.run(['--uninstall', '--yes']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(checkout.tree()).toEqual(before);
    expect(existsSync(join(checkout.root, '.node-path'))).toBe(false);
    expect(run.stdout).toContain(`removed    ${checkout.bin}/mempalace-session`);
    expect(run.stdout).toContain('removed    2 links to manuals and completions');
    expect(run.stdout).toContain(`removed    the PATH line in ${home('.bashrc')}`);
    expect(run.stdout).toContain('Your palace, its settings, logs and caches stay');
    const again = checkout.run(['--uninstall']);
    expect([again.code, checkout.tree()]).toEqual([0, before]);
  });

  it('says what setup took back, as it was done, and names hooks that are left', () => {
    checkout.run([]);
    const kimi = join(checkout.base, 'kimi');
    write(join(kimi, 'config.toml'), '[[hooks]]\ncommand = "mempalace hook run --hook stop"\n');
    const said = 'would be removed    Codex: ~/.codex/hooks.json\nremoved    Codex: ~/.codex/hooks.json\n';
    const run = checkout.run(['--uninstall'], { SETUP_SAYS: said, KIMI_SHARE_DIR: kimi });
    expect(run.stdout).toContain('\nremoved    Codex: ~/.codex/hooks.json\n');
    expect(run.stdout).not.toContain('would be');
    expect(run.stdout).toContain(`${kimi}/config.toml calls mempalace as a hook`);
  });

  it('removes a shell file that it created, and no folder that others use', () => {
    checkout.run(['--path'], { SHELL: '/bin/zsh' });
    write(home('.local/share/man/man1/other.1'), 'x');
    checkout.run(['--uninstall']);
    expect(checkout.tree()).toEqual([
      '.local/',
      '.local/share/',
      '.local/share/man/',
      '.local/share/man/man1/',
      '.local/share/man/man1/other.1: x',
    ]);
  });

  it('keeps foreign files, and removes the links of a moved or deleted checkout', () => {
    checkout.run();
    rmSync(join(checkout.bin, 'mempalace-docs'));
    write(join(checkout.bin, 'mempalace-docs'), 'the other one');
    const moved = join(checkout.base, 'moved');
    renameSync(checkout.root, moved);
    const other = createCheckout('other');
    symlinkSync(join(moved, 'nothing'), home('.local/share/man/man1/mempalace-of-others.1'));
    const run = other.run(['--uninstall'], { HOME: checkout.home, PATH: checkout.tools });
    other.remove();
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(`skipped    ${checkout.bin}/mempalace-docs belongs to another program`);
    expect(checkout.tree().filter((line) => !line.endsWith('/'))).toEqual([
      '.local/bin/mempalace-docs: the other one',
      `.local/share/man/man1/mempalace-of-others.1 -> ${moved}/nothing`,
    ]);
  });

  it('keeps the data; --purge --yes deletes it, and no file of MemPalace or of the user', () => {
    const data = [
      ...'.mempalace/palace/palace.sqlite3 .mempalace/palace/palace.sqlite3-wal'.split(' '),
      ...'.mempalace/palace/run.lock .mempalace/palace/broker.json'.split(' '),
      ...'.mempalace/palace/serve-token .mempalace/palace/serve-tokens.json'.split(' '),
      ...'.mempalace/palace/broker.log.1 .mempalace/palace/write-log.jsonl'.split(' '),
      ...'.mempalace/palace/hooks/hooks.log .mempalace/palace/received/1/batch-1.jsonl'.split(' '),
      ...'.mempalace/palace/writers/last-1.2 .mempalace/run/x.sock'.split(' '),
      ...'.mempalace/palace/backups/20260101T000000000Z-before-migration.sqlite3'.split(' '),
      ...'.cache/mempalace-docs/wing_x/a.md .cache/mempalace-session/wing_x/a.jsonl'.split(' '),
      ...'.config/mempalace/config.yaml .local/share/mempalace/models/m/model.onnx'.split(' '),
      ...'.local/state/mempalace/mempalace-session.log Library/Logs/mempalace-session.log.1'.split(' '),
      ...'Library/Logs/mempalace-docs.err'.split(' '),
    ];
    for (const file of data) write(home(file));
    checkout.run();
    checkout.run(['--uninstall']);
    for (const file of data) expect(existsSync(home(file)), file).toBe(true);
    write(home('.mempalace/config.json'), '{}');
    write(home('.mempalace/palace/chroma.sqlite3'), 'others');
    write(home('.mempalace/identity.txt'), 'me');
    const run = checkout.run(['--uninstall', '--purge', '--yes']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(`skipped    ${home('.mempalace/palace')}: it contains other files`);
    expect(readdirSync(home('Library'))).toEqual([]);
    rmSync(home('Library'), { recursive: true });
    expect(checkout.tree()).toEqual([
      '.mempalace/',
      '.mempalace/config.json: {}',
      '.mempalace/palace/',
      '.mempalace/palace/chroma.sqlite3: others',
    ]);
    rmSync(home('.mempalace/config.json'));
    rmSync(home('.mempalace/palace'), { recursive: true });
    checkout.run(['--uninstall', '--purge', '--yes']);
    expect(checkout.tree()).toEqual([]);
  });

  it('--purge finds the palace and the folders at their configured paths', () => {
    const elsewhere = join(checkout.base, 'else where');
    for (const file of [
      'palace/palace.sqlite3',
      'palace/photo.jpg',
      'cache/mempalace-docs/a',
      'cache/other',
    ]) {
      write(join(elsewhere, file));
    }
    const env = {
      MEMPALACE_PALACE_PATH: join(elsewhere, 'palace'),
      XDG_CACHE_HOME: join(elsewhere, 'cache'),
    };
    const run = checkout.run(['--uninstall', '--purge', '--yes'], env);
    expect(run.code).toBe(0);
    expect(existsSync(join(elsewhere, 'palace/palace.sqlite3'))).toBe(false);
    expect(existsSync(join(elsewhere, 'cache/mempalace-docs'))).toBe(false);
    expect(readFileSync(join(elsewhere, 'palace/photo.jpg'), 'utf8')).toBe('');
    expect(existsSync(join(elsewhere, 'cache/other'))).toBe(true);
  });

  it('--purge does not guess the path of a palace that only the program knows', () => {
    checkout.run();
    write(join(checkout.root, 'bin/mempalace'), '#!/bin/sh\nexit 1\n');
    const config = home('.config/mempalace/config.yaml');
    write(config, 'palace: ~/elsewhere\n');
    const before = checkout.snapshot();
    const run = checkout.run(['--uninstall', '--purge', '--yes']);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining(`${config} names the palace`)]);
    expect(checkout.snapshot()).toEqual(before);
  });

  it('--purge without a terminal and without --yes changes nothing', () => {
    checkout.run();
    write(home('.mempalace/palace/palace.sqlite3'));
    const before = checkout.snapshot();
    const run = checkout.run(['--uninstall', '--purge']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('it needs --yes')]);
    expect(checkout.snapshot()).toEqual(before);
  });
});
