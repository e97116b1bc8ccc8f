import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckout, has, runTool } from './checkout.js';

const BASH_LINE = 'export PATH="$HOME/.local/bin:$PATH"';
const MARK = ' # mempalace-toolkit';

let checkout: ReturnType<typeof createCheckout>;
beforeEach(() => {
  checkout = createCheckout();
  checkout.quickNode();
});
afterEach(() => checkout.remove());

const home = (...parts: string[]) => join(checkout.home, ...parts);
const read = (path: string) => readFileSync(home(path), 'utf8');

describe('PATH', () => {
  it.each([
    ['/usr/bin/zsh', '.zshrc', BASH_LINE],
    ['/bin/bash', '.bashrc', BASH_LINE],
    ['/usr/bin/fish', '.config/fish/config.fish', 'fish_add_path --global "$HOME/.local/bin"'],
    [undefined, '.profile', BASH_LINE],
  ])('for %s the line is suggested, and written only with --path, once', (shell, file, line) => {
    const offered = checkout.run([], { SHELL: shell });
    expect(offered.stdout).toContain(`Add this line to ${home(file)}`);
    expect(offered.stdout).toContain(`\n  ${line}\n`);
    expect(existsSync(home(file))).toBe(false);
    mkdirSync(dirname(home(file)), { recursive: true });
    writeFileSync(home(file), 'set -o vi');
    for (const words of ['written    the PATH line', 'unchanged  the PATH line']) {
      expect(checkout.run(['--path'], { SHELL: shell }).stdout).toContain(words);
      expect(read(file)).toBe(`set -o vi\n${line}${MARK}\n`);
    }
  });

  it('another prefix replaces the line; a line of the user counts', () => {
    checkout.run(['--path']);
    checkout.run(['--path', '--prefix', home('a $b "c" `d`')]);
    expect(read('.bashrc')).toBe(`export PATH="$HOME/a \\$b \\"c\\" \\\`d\\\`/bin:$PATH"${MARK}\n`);
    const told = runTool('sh', ['-c', '. ./.bashrc; printf %s "$PATH"'], {
      cwd: checkout.home,
      env: { HOME: checkout.home, PATH: '/bin' },
    });
    expect(told.stdout).toBe(`${home('a $b "c" `d`')}/bin:/bin`);
    writeFileSync(home('.bashrc'), `${BASH_LINE}\n`);
    expect(checkout.run(['--path']).stdout).toContain('unchanged  the PATH line');
    expect(read('.bashrc')).toBe(`${BASH_LINE}\n`);
  });

  it('a link into dotfiles and its mode stay unchanged', () => {
    mkdirSync(home('dotfiles'));
    writeFileSync(home('dotfiles/bashrc'), '# mine\n');
    chmodSync(home('dotfiles/bashrc'), 0o640);
    symlinkSync('dotfiles/bashrc', home('.bashrc'));
    checkout.run(['--path']);
    expect(read('dotfiles/bashrc')).toBe(`# mine\n${BASH_LINE}${MARK}\n`);
    checkout.run(['--uninstall']);
    expect(checkout.tree()).toContain('.bashrc -> dotfiles/bashrc');
    expect([read('dotfiles/bashrc'), statSync(home('dotfiles/bashrc')).mode & 0o777]).toEqual([
      '# mine\n',
      0o640,
    ]);
  });

  it('is not mentioned or changed if it contains the folder', () => {
    const run = checkout.run(['--path'], { PATH: `${checkout.bin}:${checkout.tools}` });
    expect(run.stdout).toContain(`unchanged  ${checkout.bin} is on PATH`);
    expect(existsSync(home('.bashrc'))).toBe(false);
  });

  it.skipIf(!has('fish'))('fish accepts the line (skipped without fish)', () => {
    checkout.run(['--path'], { SHELL: '/usr/bin/fish' });
    const run = runTool('fish', ['-c', 'echo $PATH[1]'], {
      env: { HOME: checkout.home, PATH: process.env.PATH },
    });
    expect(run.stdout.trim()).toBe(checkout.bin);
  });
});
