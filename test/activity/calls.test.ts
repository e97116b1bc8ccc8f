import { describe, expect, test } from 'vitest';
import { meaningOf } from '../../src/activity/calls.js';

/** `action path`, or `renamed former > path`. */
const touches = (name: string, input: unknown): string[] =>
  meaningOf(name, input).touches.map(({ action, path, from }) =>
    [action, ...(from === undefined ? [] : [from, '>']), path].join(' '),
  );

const PATCH = [
  '*** Begin Patch',
  '*** Add File: src/new.ts',
  '+export {}',
  '*** Update File: src/old name.ts',
  '*** Move to: src/renamed.ts',
  '@@',
  '-a',
  '+*** Delete File: quoted.ts',
  '*** Delete File: src/gone.ts',
  '*** End Patch',
  '*** Add File: after.ts',
].join('\n');
const PATCHED = [
  'written src/new.ts',
  'edited src/renamed.ts',
  'renamed src/old name.ts > src/renamed.ts',
  'deleted src/gone.ts',
];

describe('tools of files', () => {
  test.each<[string, unknown, string[]]>([
    ['Read', { file_path: '/p/a.ts' }, ['read /p/a.ts']],
    ['read', { filePath: '/p/a.ts', offset: 3 }, ['read /p/a.ts']],
    ['ReadFile', { path: 'a.ts' }, ['read a.ts']],
    ['read_file', { absolute_path: '/p/a.ts' }, ['read /p/a.ts']],
    ['read_many_files', { paths: ['a.md', 'src/**/*.ts', 7] }, ['read a.md']],
    ['view_image', { path: '/p/a.png' }, ['read /p/a.png']],
    ['Write', { file_path: '/p/a.ts', content: '' }, ['written /p/a.ts']],
    ['create', { path: '/p/a.ts', file_text: '' }, ['written /p/a.ts']],
    ['MultiEdit', { file_path: '/p/a.ts', edits: [{}, {}] }, ['edited /p/a.ts']],
    ['NotebookEdit', { notebook_path: '/p/a.ipynb', new_source: '' }, ['edited /p/a.ipynb']],
    ['replace', { file_path: '/p/a.ts', old_string: 'a' }, ['edited /p/a.ts']],
    ['StrReplaceFile', { path: 'a.ts', edit: {} }, ['edited a.ts']],
    ['str_replace_based_edit_tool', { command: 'view', path: '/p/a' }, ['read /p/a']],
    ['str_replace_based_edit_tool', { command: 'create', path: '/p/a' }, ['written /p/a']],
    ['str_replace_editor', { command: 'insert', path: '/p/a' }, ['edited /p/a']],
    ['str_replace_editor', { command: 'constructor', path: '/p/a' }, []],
    ['apply_patch', PATCH, PATCHED],
    ['apply_patch', { input: PATCH }, PATCHED],
    ['patch', { patchText: PATCH.replaceAll('\n', '\r\n') }, PATCHED],
    ['Glob', { path: '/p', pattern: '*' }, []],
    ['constructor', { path: '/p' }, []],
    ['Read', { file_path: '' }, []],
    ['Read', { file_path: 'a\nb' }, []],
    ['Read', 'text', []],
    ['Read', null, []],
  ])('%s %j', (name, input, expected) => {
    expect(touches(name, input)).toEqual(expected);
  });
});

describe('commands', () => {
  test.each<[string, string[]]>([
    ['cat src/a.ts', ['read src/a.ts']],
    ["nl -ba 'src/a b.ts'", ['read src/a b.ts']],
    ['head -n 20 a.ts b.ts', ['read a.ts', 'read b.ts']],
    ['tail -5 a.log', ['read a.log']],
    ["sed -n '1,80p' src/a.ts", ['read src/a.ts']],
    ['rm -f old.ts', ['deleted old.ts']],
    ['git rm old.ts', ['deleted old.ts']],
    ['git mv src/a.ts lib/b.ts', ['renamed src/a.ts > lib/b.ts']],
    [`apply_patch <<'EOF'\n${PATCH}\nEOF`, PATCHED],
    [`cd lib && apply_patch <<'EOF'\n${PATCH}\nEOF`, PATCHED],
    // Any of these may touch other files than it names, or none.
    ['mv a.ts folder', []],
    ['rm -rf folder', []],
    ["sed -i 's/a/b/' a.ts", []],
    ["sed -n '1w out' a.ts", []],
    ['cat a.ts > b.ts', []],
    ['cat $FILE', []],
    ['cat "$FILE"', []],
    ['cat a.ts | head', []],
    ['cat a.ts; rm b.ts', []],
    ['cat *.ts', []],
    ['git cat a.ts', []],
    [`echo '${PATCH}'`, []],
  ])('%s', (command, expected) => {
    expect(touches('exec_command', { cmd: command })).toEqual(expected);
    expect(touches('shell', { command: ['bash', '-lc', command] })).toEqual(expected);
  });

  test('a relative path counts only where the folder of the shell is known', () => {
    expect(touches('Bash', { command: 'cat a.ts' })).toEqual([]);
    expect(touches('Bash', { command: 'cat /p/a.ts' })).toEqual(['read /p/a.ts']);
    expect(touches('exec_command', { cmd: 'git mv a.ts b.ts', workdir: '/p/' })).toEqual([
      'renamed /p/a.ts > /p/b.ts',
    ]);
  });

  test('every tool that runs commands is one tool', () => {
    for (const [name, input] of [
      ['Bash', { command: ' npm test ' }],
      ['run_shell_command', { command: 'npm test', description: 'Test' }],
      ['exec_command', { cmd: 'npm test' }],
      ['local_shell', { command: ['bash', '-lc', 'npm test'] }],
      ['shell', { command: ['npm', 'test'] }],
    ] as const)
      expect(meaningOf(name, input)).toMatchObject({ tool: 'shell', command: 'npm test' });
  });
});

describe("scripts of Codex's code mode", () => {
  test.each<[string, { tool: string; command?: string; paths: string[] }]>([
    [
      'const r = await tools.exec_command({ cmd: "cat \\"a b.ts\\"", yield_time_ms: 5 });',
      { tool: 'shell', command: 'cat "a b.ts"', paths: ['a b.ts'] },
    ],
    [
      `const p = \`${PATCH}\`;\ntext(await tools.apply_patch(p));`,
      { tool: 'exec', paths: ['src/new.ts', 'src/renamed.ts', 'src/renamed.ts', 'src/gone.ts'] },
    ],
    [['await tools.exec_command({ cmd: `cat $', '{file}` })'].join(''), { tool: 'exec', paths: [] }],
    [`text(${JSON.stringify(PATCH)})`, { tool: 'exec', paths: [] }],
  ])('%s', (script, { tool, command, paths }) => {
    const meaning = meaningOf('exec', script);
    expect({ tool: meaning.tool, command: meaning.command }).toEqual({ tool, command });
    expect(meaning.touches.map(({ path }) => path)).toEqual(paths);
  });
});
