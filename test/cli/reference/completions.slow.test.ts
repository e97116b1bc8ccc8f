import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument } from 'commander';
import { describe, expect, it } from 'vitest';
import { choiceOption, createCommand, repeatable, withCommonOptions } from '../../../src/cli/app/options.js';
import { docsProgram } from '../../../src/cli/programs/docs.js';
import { wholeProgram } from '../../../src/cli/programs/mempalace.js';
import { sessionProgram } from '../../../src/cli/programs/session.js';
import { completionLines } from '../../../src/cli/reference/complete.js';
import { COMPLETIONS, SHELLS, type Shell } from '../../../src/cli/reference/shells.js';
import { readCommand } from '../../../src/cli/reference/tree.js';
import { temporaryFolder } from '../../support/palace.js';
import { has, shim } from '../../support/tools.js';

const COMPLETE = new URL('../../../dist/cli/reference/complete.js', import.meta.url).href;
const CAPTURE = fileURLToPath(new URL('capture.zsh', import.meta.url));

/** Characters that could end quotes, brackets or specifications in one of the shells. */
const odd = withCommonOptions(
  createCommand('odd', `It's "odd": [a\\b] $HOME \`date\``)
    .option('--quote <x>', `a 'quote', "another", [brackets]: and \\ $(date) \`date\``)
    .option('--many <file>', 'more than one (repeatable)', repeatable)
    .addOption(choiceOption('--kind <kind>', 'one: of [two]', ['a-1', 'b.2']))
    .addArgument(new Argument('<first>', 'fixed').choices(['one', 'two']))
    .argument('<dir>', 'a folder')
    .argument('[more...]', 'anything'),
);
const PROGRAMS = new Map(
  [docsProgram(), await wholeProgram(), sessionProgram(), odd].map((program) => [
    program.name(),
    readCommand(program),
  ]),
);
const COMMANDS = PROGRAMS.get('mempalace')?.commands.map(({ name }) => name) ?? [];

const BASH = `set -u
source "$1"
shift
for line; do
  # As readline cuts a line: "=" is a word of its own.
  IFS=' ' read -r -a COMP_WORDS <<<"\${line//=/ = }"
  [[ $line == *[\\ =] ]] && [[ $line != *= ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  name=_\${COMP_WORDS[0]//-/_}
  $name
  printf '%s\\n' "\${COMPREPLY[@]-}" @END@
done`;
const FISH = 'source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo @END@; end';

/** In place of `mempalace __complete`, which knows no odd program. */
const ANSWER = `import { readFileSync } from 'node:fs';
import { completionLines } from ${JSON.stringify(COMPLETE)};
const [file, , name, ...typed] = process.argv.slice(2);
process.stdout.write(completionLines(JSON.parse(readFileSync(file, 'utf8'))[name], typed));`;

/** A shell's suggestions for the end of each line; folders without their slash, values without their flag. */
function offersOf(shell: Shell, lines: readonly string[], answers?: string): string[][] {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'some/inner'), { recursive: true });
  mkdirSync(join(folder, 'two words'));
  writeFileSync(join(folder, 'a.db'), '');
  const aside = temporaryFolder();
  const script = join(aside, 'script');
  const trees = join(aside, 'trees.json');
  const answer = join(aside, 'answer.mjs');
  writeFileSync(script, [...PROGRAMS.keys()].map(COMPLETIONS[shell]).join('\n'));
  writeFileSync(trees, JSON.stringify(Object.fromEntries(PROGRAMS)));
  writeFileSync(answer, ANSWER);
  shim(aside, 'mempalace', answers ?? `exec ${process.execPath} ${answer} ${trees} "$@"`);
  const start = {
    bash: ['--norc', '-c', BASH, 'bash'],
    zsh: ['-f', CAPTURE],
    fish: ['--no-config', '-c', FISH],
  };
  const { stdout, stderr, status } = spawnSync(shell, [...start[shell], script, ...lines], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${aside}:${process.env.PATH}`, HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8' },
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  const parts = stdout.split('@END@').slice(0, -1);
  expect(parts).toHaveLength(lines.length);
  return parts.map((part, index) => {
    // The markers of capture.zsh.
    const marked = [...part.matchAll(/\u0001(.*?)\u0002/g)].map((match) => match[1] ?? '');
    const found = shell === 'zsh' ? marked : part.split('\n').map((each) => each.split('\t')[0] ?? '');
    const dashed = / -[^ ]*$/.test(lines[index] ?? '');
    const plain = found
      .map((each) =>
        each
          .replace(/^--\w+=/, '')
          .replace(/\/$/, '')
          .replace('\\ ', ' '),
      )
      // If there is nothing else, zsh lists flags.
      .filter((each) => each !== '' && (dashed || !each.startsWith('-')));
    return [...new Set(plain)].sort();
  });
}

const FOLDERS = ['some', 'two words'];
const CASES: [line: string, offered: string[]][] = [
  ['mempalace ', COMMANDS],
  ['mempalace se', ['search', 'serve', 'sessions', 'set', 'setup']],
  ['mempalace --palace ', FOLDERS],
  ['mempalace --palace some li', ['list']],
  ['mempalace list ', ['days', 'rooms', 'runs', 'sources', 'wings', 'work']],
  ['mempalace --json list w', ['wings', 'work']],
  ['mempalace list wings ', []],
  ['mempalace list sources --limit 5 --ro', ['--room']],
  ['mempalace kg query shop --direction ', ['both', 'incoming', 'outgoing']],
  ['mempalace facts query stats --as', ['--as-of']],
  ['mempalace mcp remove c', ['claude-code', 'codex', 'cursor']],
  ['mempalace search --rank ', ['compound', 'fusion', 'lexical', 'relevance', 'semantic']],
  ['mempalace search --rank=se', ['semantic']],
  ['mempalace search --rank=', ['compound', 'fusion', 'lexical', 'relevance', 'semantic']],
  ['mempalace search --limit=5 --fo', ['--format']],
  ['mempalace search list --m', ['--min-score']],
  ['mempalace search --limit ', []],
  ['mempalace set x --priority h', ['high']],
  ['mempalace help sta', ['status']],
  ['mempalace completion f', ['fish']],
  ['mempalace-docs ', FOLDERS],
  ['mempalace-docs --palace some/', ['some/inner']],
  ['mempalace-session --db ', ['a.db', ...FOLDERS]],
  ['mempalace-session --since --li', ['--limit']],
  ['mempalace-session -- --li', []],
  ['odd --qu', ['--quiet', '--quote']],
  ['odd --kind ', ['a-1', 'b.2']],
  ['odd --quote x t', ['two']],
  ['odd --many a.db --man', ['--many']],
  ['odd --many=a.db one s', ['some']],
];

describe('completion', () => {
  for (const shell of SHELLS) {
    it.skipIf(!has(shell))(`suggests what fits in ${shell} (skipped without ${shell})`, () => {
      const lines = CASES.map(([line]) => line);
      const found = offersOf(shell, lines);
      // zsh completes a folder that is partly typed.
      const wanted = CASES.map(([line, offered]) => [
        line,
        offered.map((each) => (shell === 'zsh' && line.endsWith('/') ? basename(each) : each)).sort(),
      ]);
      expect(lines.map((line, index) => [line, found[index]])).toEqual(wanted);
    });
  }

  it('describes options and commands', async () => {
    const tree = readCommand(await wholeProgram());
    expect(completionLines(tree, ['search', '--win'])).toBe('--wing\tonly in this wing\n');
    expect(completionLines(tree, ['li'])).toBe('list\tList wings, rooms, sources, days, work or runs\n');
  });

  it('offers no value that a shell would expand', () => {
    const bad = withCommonOptions(
      createCommand('bad', 'Bad').addOption(choiceOption('--x <x>', 'x', ['$(date)', 'plain'])),
    );
    expect(completionLines(readCommand(bad), ['--x', ''])).toBe('plain\t\n');
  });

  it.each(SHELLS.filter(has))('%s completes nothing where the program does not answer', (shell) => {
    expect(offersOf(shell, ['mempalace s', 'mempalace-docs '], 'echo broken >&2; exit 2')).toEqual([[], []]);
  });
});
