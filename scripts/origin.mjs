// The origin of a build: the commit for --version, and the date of the man pages.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `abc1234`, with `-dirty` when tracked files differ from it; empty without git. */
export function commitOf(root) {
  return git(root, 'describe', '--always', '--abbrev=7', '--dirty', '--exclude=*');
}

/**
 * The same sources give the same day: `$SOURCE_DATE_EPOCH`, else that of the version in CHANGELOG.md, of the commit,
 * or of package.json.
 */
export function dateOf(root) {
  const { SOURCE_DATE_EPOCH = '' } = process.env;
  if (/^\d+$/.test(SOURCE_DATE_EPOCH)) return new Date(Number(SOURCE_DATE_EPOCH) * 1000);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changes = join(root, 'CHANGELOG.md');
  const heading = new RegExp(`^## \\[?${version}\\]? - (\\d{4}-\\d{2}-\\d{2})`, 'm');
  const released = existsSync(changes) ? heading.exec(readFileSync(changes, 'utf8'))?.[1] : undefined;
  const committed = git(root, 'log', '-1', '--format=%cI');
  return new Date(released ?? (committed || statSync(join(root, 'package.json')).mtimeMs));
}

/** The output of git in a checkout; nothing without git, or if the repository is an outer one. */
function git(root, ...args) {
  if (!existsSync(join(root, '.git'))) return '';
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const { status, stdout } = spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}
