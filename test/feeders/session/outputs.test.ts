import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateDatabases } from '../../../src/feeders/session/locate.js';
import { wholeOutput } from '../../../src/feeders/staging/whole-output.js';
import { OpencodeDatabase } from '../../support/opencode-database.js';
import { answered, asked, Opencode2Database } from '../../support/opencode2-database.js';
import { Feeder, foldTurns, readTranscript, temporaryFolder } from './helpers.js';

const ELSEWHERE = '/home/dev/.local/share/opencode/tool-output/tool_1';
const CUT = `...output truncated...\n\nFull output saved to: ${ELSEWHERE}\n\nrow 9`;

/** opencode's data folder with the whole output `tool_1`. */
function dataFolder(content: string | undefined = 'row 1\nrow 2\nrow 9'): string {
  const root = temporaryFolder();
  mkdirSync(join(root, 'tool-output'));
  if (content !== undefined) writeFileSync(join(root, 'tool-output', 'tool_1'), content);
  return root;
}

async function resultsIn(path: string): Promise<string[]> {
  const { sources } = await new Feeder(path).stage();
  const turns = sources.flatMap((source) => foldTurns(readTranscript(source)));
  return turns.flatMap(({ calls }) => calls.map(({ result }) => result));
}

function database(root: string, tool: string, state: object): string {
  const live = new OpencodeDatabase(join(root, 'opencode.db'));
  const part = { type: 'tool', tool, state: { status: 'completed', input: { command: 'rows' }, ...state } };
  live.addSession({ messages: [{ parts: ['Q'] }, { role: 'assistant', parts: [part] }] });
  live.close();
  return live.path;
}

describe('an output that opencode cut', () => {
  const cut = { output: CUT, metadata: { truncated: true, outputPath: ELSEWHERE } };

  it('is whole while its file is there, and marked afterwards', async () => {
    const whole = `[output cut by opencode, here whole from ${ELSEWHERE}]\nrow 1\nrow 2\nrow 9`;
    expect(await resultsIn(database(dataFolder(), 'bash', cut))).toEqual([whole]);
    const marked = `[output cut by opencode, whole in ${ELSEWHERE}]\n${CUT}`;
    expect(await resultsIn(database(temporaryFolder(), 'bash', cut))).toEqual([marked]);
  });

  it('may name its file only in the output', async () => {
    const root = dataFolder();
    expect(await resultsIn(database(root, 'grep', { ...cut, metadata: { truncated: true } }))).toEqual([
      expect.stringContaining('row 2'),
    ]);
  });

  it('is marked without a file; a tool that cuts on its own says so itself', async () => {
    const state = { output: 'x', metadata: { truncated: true } };
    expect(await resultsIn(database(dataFolder(), 'bash', state))).toEqual(['[output cut by opencode]\nx']);
    expect(await resultsIn(database(dataFolder(), 'read', state))).toEqual(['x']);
    const quoted = { output: CUT, metadata: { truncated: false } };
    expect(await resultsIn(database(dataFolder(), 'bash', quoted))).toEqual([CUT]);
  });

  it('of opencode 2 is the same', async () => {
    const root = dataFolder();
    const live = new Opencode2Database(join(root, 'opencode.db'));
    const { output, metadata } = cut;
    const state = { status: 'completed', input: {}, content: [{ type: 'text', text: output }], metadata };
    const call = { type: 'tool', id: 'call_1', name: 'shell', state };
    const shell = {
      command: 'rows',
      status: 'exited',
      exit: 0,
      output: { output: 'row 9', truncated: true },
    };
    live.addSession('ses_one', [asked('Q'), answered(call), { type: 'shell', data: shell }]);
    live.close();
    expect(await resultsIn(live.path)).toEqual([
      expect.stringMatching(/here whole from .*\nrow 1\nrow 2/),
      '[output cut by opencode]\nrow 9',
    ]);
  });

  it('of a database that OPENCODE_DB names is in the data folder', async () => {
    const home = temporaryFolder();
    const path = database(temporaryFolder(), 'bash', cut);
    mkdirSync(join(home, 'opencode', 'tool-output'), { recursive: true });
    writeFileSync(join(home, 'opencode', 'tool-output', 'tool_1'), 'row 2');
    const folders = { home, cache: home, data: home, config: home, state: home, palace: home };
    const { found } = locateDatabases({ db: [], env: { OPENCODE_DB: path }, folders });
    const feeder = new Feeder(path);
    const { sources } = await feeder.stage({ databases: found });
    const [, , last] = sources.flatMap((source) => foldTurns(readTranscript(source)));
    expect(last?.calls[0]?.result).toMatch(/row 2$/);
  });
});

describe('the file of a whole output', () => {
  it('is a regular file in the folder of outputs, at most 1 MB', () => {
    const root = dataFolder('whole');
    const outputs = join(root, 'tool-output');
    const secret = join(temporaryFolder(), 'secret');
    writeFileSync(secret, 'secret');
    writeFileSync(join(root, 'auth.json'), 'secret');
    symlinkSync(secret, join(outputs, 'link'));
    mkdirSync(join(outputs, 'folder'));
    writeFileSync(join(outputs, 'large'), 'x'.repeat(1024 * 1024 + 1));
    writeFileSync(join(outputs, 'most'), 'x'.repeat(1024 * 1024));
    for (const path of ['/anywhere/tool-output/tool_1', 'C:\\dev\\opencode\\tool-output\\tool_1'])
      expect(wholeOutput(path, [root]), path).toBe('whole');
    expect(wholeOutput('tool-output/most', [root])).toHaveLength(1024 * 1024);
    for (const name of [
      'link',
      'folder',
      'large',
      'none',
      '..',
      '.',
      '',
      '../auth.json',
      '../tool-output/../auth.json',
    ])
      expect(wholeOutput(`/x/tool-output/${name}`, [root]), name).toBeUndefined();
    for (const path of ['tool_1', '/x/tool_1', secret, join(root, 'auth.json'), '../tool-output/tool_1', ''])
      expect(wholeOutput(path, [root]), path).toBeUndefined();
  });

  it('is one of those that a program stores among other files of a project', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'tmp', 'shop'), { recursive: true });
    for (const name of ['a.output', 'logs.json']) writeFileSync(join(root, 'tmp', 'shop', name), 'whole');
    writeFileSync(join(root, 'tmp', 'a.output'), 'whole');
    expect(wholeOutput('/x/.qwen/tmp/shop/a.output', [root])).toBe('whole');
    for (const name of ['shop/logs.json', 'a.output', '../tmp/shop/a.output', 'shop/../a.output'])
      expect(wholeOutput(`/x/.qwen/tmp/${name}`, [root]), name).toBeUndefined();
  });

  it('is not below a link to another folder', () => {
    const root = temporaryFolder();
    symlinkSync(join(dataFolder('whole'), 'tool-output'), join(root, 'tool-output'));
    expect(wholeOutput('/x/tool-output/tool_1', [root])).toBeUndefined();
  });
});

it('the whole output is redacted as the cut one is', async () => {
  const key = ['ghp_', 'A1b2C3d4'.repeat(5)].join('').slice(0, 40);
  const path = database(dataFolder(`row 1\ntoken ${key}\n`), 'bash', {
    output: CUT,
    metadata: { truncated: true, outputPath: ELSEWHERE },
  });
  const [result = ''] = await resultsIn(path);
  expect(result).toContain('row 1');
  expect(result).not.toContain(key);
});
