import { expect, test } from 'vitest';
import { meaningOf } from '../../src/activity/calls.js';
import { renderedCall } from '../../src/activity/rendered.js';
import { renderCall } from '../../src/miner/read/render.js';

const PATCH = '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-a\n+b\n*** End Patch';

test.each<[string, unknown]>([
  ['Read', { file_path: '/p/a b.ts', offset: 3, limit: 10 }],
  ['read_file', { absolute_path: '/p/a.ts' }],
  ['read_file', { absolute_path: '/p/a.ts', offset: 3 }],
  ['read_many_files', { paths: ['a.ts', 'b.ts'] }],
  ['Write', { file_path: '/p/a.ts', content: 'path: x\nfile_path: /p/other.ts\n' }],
  ['create', { path: '/p/a.ts', file_text: '' }],
  ['edit', { path: 'a.ts', edits: [{ oldText: 'a\nb', newText: 'path: c' }] }],
  ['replace', { file_path: '/p/a.ts', instruction: 'do\nthis', old_string: 'a', new_string: 'b' }],
  ['NotebookEdit', { notebook_path: '/p/a.ipynb', cell_id: '1', new_source: 'x\ny' }],
  ['str_replace_editor', { command: 'str_replace', path: '/p/a.ts', old_str: 'a\nb', new_str: 'c' }],
  ['str_replace_based_edit_tool', { command: 'view', path: '/p/a.ts' }],
  ['apply_patch', PATCH],
  ['apply_patch', { input: PATCH }],
  ['apply_patch', { patchText: PATCH }],
  ['exec', `await tools.apply_patch(${JSON.stringify(PATCH)});`],
  ['exec', 'const r = await tools.exec_command({ cmd: "cat a.ts", yield_time_ms: 5 });\ntext(r.output);'],
  ['Bash', { command: 'npm test', description: 'Run: the tests', timeout: 1000 }],
  ['Bash', { command: 'cd /p\nnpm test', description: 'Run the tests', run_in_background: false }],
  ['exec_command', { cmd: 'cat a.ts', yield_time_ms: 5000 }],
  ['exec_command', { cmd: 'cat a.ts', workdir: '/p' }],
  ['exec_command', { cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF`, yield_time_ms: 5000 }],
  ['shell', { command: ['bash', '-lc', 'cat a.ts'] }],
  ['shell', { command: ['bash', '-lc', 'echo "a\\b"\nnpm test'] }],
  ['run_shell_command', { command: 'npm test', is_background: false, description: 'Run the tests' }],
  ['mcp__server__search', { query: 'x' }],
  ['Task', undefined],
])('the meaning of %s %j is in its text', (name, input) => {
  const said = renderedCall(renderCall(name, input));
  const { todos: _, ...meaning } = meaningOf(name, input);
  expect(meaningOf(said.name, said.input)).toMatchObject(meaning);
});
