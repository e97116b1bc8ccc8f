import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { palaceFile } from '../../src/store/index.js';
import { embeddingServer } from '../support/embedding-server.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

const KB = 1024;
/**
 * The most that filing may write per byte of input: staged text, compressed text, drawers, their words and codes. A
 * drawer takes about 2 KB besides its text, even if it has three words.
 */
const FACTOR = 12;
/** An empty palace with its indexes, and the log. */
const CONSTANT = 800 * KB;

type Files = Record<string, string>;

const words = (bytes: number, word = 'otter'): string => `${word} `.repeat(bytes / (word.length + 1)).trim();
const paragraphs = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `The heron of week ${i} stood near mile ${i * 7}. ${words(300)}\n\n`,
  ).join('');
const line = (record: object): string => `${JSON.stringify(record)}\n`;
const turn = (type: 'user' | 'assistant', content: unknown, more: object = {}): string =>
  line({ type, sessionId: 's1', timestamp: '2026-01-02T03:04:05Z', message: { content }, ...more });
const turns = (count: number, more: object = {}): string =>
  Array.from({ length: count }, (_, i) =>
    [
      turn('user', `question ${i} ${words(400)}`, more),
      turn('assistant', `answer ${i} ${words(400)}`, more),
    ].join(''),
  ).join('');

/** Folders of about `size` bytes, each with one huge item that many others could repeat. */
const DOCUMENTS: Record<string, (size: number) => Files> = {
  'the title of its front matter': (size) => ({
    'a.md': `---\ntitle: ${words(Math.min(size / 2, 60 * KB))}\n---\n${paragraphs(size / 600)}`,
  }),
  'its main heading': (size) => ({ 'a.md': `# ${words(size / 2)}\n\n${paragraphs(size / 600)}` }),
  'each of many nested headings': (size) => ({
    'a.md': Array.from(
      { length: size / 2_400 },
      (_, i) => `${'#'.repeat((i % 6) + 1)} ${i} ${words(2_000)}\n\n${paragraphs(1)}`,
    ).join(''),
  }),
  'a heading in Chinese': (size) => ({
    'a.md': `# ${'图书馆'.repeat(size / 18)}\n\n${paragraphs(size / 600)}`,
  }),
  'a key of its front matter': (size) => ({
    'a.md': `---\n${'k'.repeat(Math.min(size / 2, 60 * KB))}: value\n---\n${paragraphs(size / 600)}`,
  }),
  'what the aliases of its front matter come to': (size) => ({
    'a.md': `---\n${aliases('title')}\n---\n${paragraphs(size / 300)}`,
  }),
  'the path to it': (size) => ({
    [`${Array.from({ length: 12 }, () => 'd'.repeat(200)).join('/')}/a.md`]: paragraphs(size / 300),
  }),
  'a quotation in quotations': (size) => ({
    'a.md': Array.from({ length: Math.sqrt(size) }, (_, i) => `${'> '.repeat(i)}w\n`).join(''),
  }),
  'a list in lists': (size) => ({
    'a.md': Array.from({ length: Math.sqrt(size) }, (_, i) => `${' '.repeat(2 * i)}- x${i}\n`).join(''),
  }),
  'one row of a table': (size) => ({ 'a.md': `|${'a|'.repeat(size / 5)}\n|${'-|'.repeat(size / 5)}\n` }),
};

const TRANSCRIPTS: Record<string, (size: number) => Files> = {
  'its summary': (size) => ({
    't.jsonl': line({ type: 'summary', summary: words(size / 2) }) + turns(size / 2_200),
  }),
  'the title in its header': (size) => ({
    't.jsonl':
      turn('user', [{ type: 'text', text: `[session: ${words(size / 2)} | /home/ann | 2026-01-02]` }]) +
      turns(size / 2_200),
  }),
  'its folder': (size) => ({
    't.jsonl': turn('user', 'first', { cwd: `/${'d'.repeat(size / 2)}` }) + turns(size / 2_200),
  }),
  'its folder, still a path': (size) => ({ 't.jsonl': turns(size / 6_200, { cwd: `/${words(4_000)}` }) }),
  'its session’s id': (size) => ({
    't.jsonl': turn('user', 'first', { sessionId: 's'.repeat(size / 2) }) + turns(size / 2_200),
  }),
  'its harness': (size) => ({
    't.jsonl': turn('user', 'first', { harness: 'h'.repeat(size / 2) }) + turns(size / 2_200),
  }),
  'the name of a tool': (size) => ({
    't.jsonl':
      turn('user', 'go') +
      turn('assistant', [{ type: 'tool_use', id: '1', name: 'n'.repeat(size), input: {} }]),
  }),
  'a question with many answers': (size) => ({
    't.jsonl':
      turn('user', words(size / 2)) +
      Array.from({ length: size / 1_000 }, (_, i) => turn('assistant', `answer ${i} ${words(400)}`)).join(''),
  }),
  'the type of a record that is not known': (size) => ({
    't.jsonl': line({ type: words(size / 2) }) + turns(size / 2_200),
  }),
  'the nesting of a tool’s input': (size) => ({
    't.jsonl':
      turns(4) +
      turn('assistant', [{ type: 'tool_use', id: '1', name: 'Bash', input: 'deep' }]).replace(
        '"deep"',
        '['.repeat(size / 2) + ']'.repeat(size / 2),
      ),
  }),
};

/** Nine lists of nine aliases each: some 3 billion values when they are followed. */
function aliases(last: string): string {
  const names = ['x', ...'bcdefghij'];
  const lists = names.map((name, i) => {
    const values = Array.from({ length: 9 }, () => (i === 0 ? 'y' : `*${names[i - 1]}`));
    return `${name}: &${name} [${values.join(', ')}]`;
  });
  return [...lists, `${last}: *${names.at(-1)}`].join('\n');
}

/** Bytes of the files below a folder. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function write(folder: string, files: Files): number {
  let bytes = 0;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    bytes += Buffer.byteLength(text) + path.length;
  }
  return bytes;
}

async function filed(kind: 'documents' | 'transcripts', files: Files) {
  const server = await embeddingServer({ small: 8 });
  const env = new TestEnv();
  env.env.MEMPALACE_MODEL = server.model('small');
  const folder = env.project('given', {});
  const input = write(folder, files);
  const [program, args] =
    kind === 'documents'
      ? (['mempalace-docs', [folder]] as const)
      : (['mempalace', ['mine', folder, '--mode', 'convos']] as const);
  const { exitCode, stdout, stderr } = await env.run(program, [...args, '--json']);
  return {
    env,
    folder,
    input,
    exitCode,
    output: stdout.length + stderr.length,
    written: bytesBelow(env.home) - bytesBelow(folder),
  };
}

describe.each([
  ['documents', DOCUMENTS],
  ['transcripts', TRANSCRIPTS],
] as const)('the output of filing %s stays in proportion to its input', (kind, cases) => {
  it.each(Object.keys(cases))('when %s is huge', async (name) => {
    const { input, exitCode, written, output } = await filed(kind, cases[name]?.(320 * KB) ?? {});
    // Some of it cannot be read, and is reported.
    expect([0, 3]).toContain(exitCode);
    expect(written).toBeLessThan(FACTOR * input + CONSTANT);
    expect(output).toBeLessThan(input + 20 * KB);
  });
});

it('the output of filing sessions stays in proportion when many sub-agents name a huge title', async () => {
  const server = await embeddingServer({ small: 8 });
  const env = new TestEnv();
  env.env.MEMPALACE_MODEL = server.model('small');
  const path = join(env.home, 'opencode.db');
  const opencode = new OpencodeDatabase(path);
  const said = Array.from({ length: 12 }, (_, i) =>
    exchange(`question ${i} ${words(400)}`, words(400)),
  ).flat();
  const parent = opencode.addSession({ title: words(80 * KB), directory: '/home/ann/shop', messages: said });
  for (let i = 0; i < 40; i += 1)
    opencode.addSession({ parent, directory: '/home/ann/shop', messages: said });
  opencode.database.close();
  const input = statSync(path).size;
  const before = bytesBelow(env.home);
  const { exitCode } = await env.run('mempalace-session', ['--db', path, '--json']);
  expect(exitCode).toBe(0);
  expect(bytesBelow(env.home) - before).toBeLessThan(4 * input + CONSTANT);
});

describe('a huge title', () => {
  const title = words(40 * KB, 'capybara');
  const files = { 'a.md': `---\ntitle: ${title}\n---\n${paragraphs(40)}` };

  it('is cut in copies, whole in the text, and short in answers', async () => {
    const { env } = await filed('documents', files);
    const database = new Database(palaceFile(env.palace), { readonly: true });
    const longest = database.prepare('SELECT max(length(title)) AS n FROM drawers').get();
    database.close();
    expect(longest).toEqual({ n: 200 });
    const [source] = (await env.json('mempalace', ['list', 'sources'])).sources as { source_key: string }[];
    const shown = await env.run('mempalace', ['show', '--raw', String(source?.source_key)]);
    expect(shown.stdout).toContain(title);
    for (const args of [['search', 'capybara', '--limit', '1'], ['wake-up'], ['list', 'sources'], ['status']])
      expect(JSON.stringify(await env.json('mempalace', args)).length).toBeLessThan(30 * KB);
  });

  it('that an earlier version filed is cut by the next run, even if its document is unchanged', async () => {
    const { env, folder } = await filed('documents', files);
    const database = new Database(palaceFile(env.palace));
    database.prepare('UPDATE sources SET title = ?').run(title);
    database.prepare('UPDATE drawers SET title = ?').run(title);
    database.close();
    expect(await env.json('mempalace-docs', [folder])).toMatchObject({
      unchanged: 1,
      changed: 0,
      embedded: 0,
    });
    const after = new Database(palaceFile(env.palace), { readonly: true });
    const longest = after
      .prepare(
        'SELECT max(length(title)) AS n FROM (SELECT title FROM drawers UNION SELECT title FROM sources)',
      )
      .get();
    after.close();
    expect(longest).toEqual({ n: 200 });
  });
});

it('a mempalace.yaml with billions of alias values, or a room with a huge name, is refused', async () => {
  for (const config of [`wing: w\n${aliases('rooms')}\n`, `rooms:\n  - name: ${'r'.repeat(100 * KB)}\n`]) {
    const env = new TestEnv();
    const folder = env.project('given', { 'mempalace.yaml': config, 'a.md': paragraphs(2) });
    const { exitCode, stderr } = await env.run('mempalace-docs', [folder]);
    expect(exitCode).toBe(2);
    expect(stderr.length).toBeLessThan(2 * KB);
  }
});
