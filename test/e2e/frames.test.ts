import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { frontmatter } from 'micromark-extension-frontmatter';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NOTICE } from '../../src/core/outside.js';
import { builtOnce } from '../support/built-once.js';
import { connected } from '../support/mcp-client.js';
import { OpencodeDatabase } from '../support/opencode-database.js';
import { PAYLOADS } from '../support/payloads.js';
import type { TestEnv } from '../support/test-env.js';

const idOf = (index: number) => `ses_00000${String(index).padStart(5, '0')}frame`;
/** The same in each session, for all texts. */
const SPEAKERS = ['note', 'user', 'assistant', 'tool call', 'tool result', 'user', 'assistant'];
/** Characters that break a line for some program, or control a terminal. A tab separates fields only in a pipe. */
const BREAKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const DRAWER = 'drawer_[0-9a-f]{24}';
const LINES = 'lines? \\d+(?:–\\d+)?';
const DAY = '\\d{4}-\\d{2}-\\d{2}';

/** The same for names, which must not contain line breaks, controls and slashes. */
const nameOf = (payload: string) => payload.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]+/gu, ' ').slice(0, 100);

const given = builtOnce(async (env) => {
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  PAYLOADS.forEach((payload, index) => {
    history.addSession({
      id: idOf(index),
      title: `Marmot ${index} ${payload}`,
      directory: `/home/dev/shop ${payload}`,
      messages: [
        { role: 'user', parts: [`How do marmots sleep? ${index}${payload}thanks`] },
        {
          role: 'assistant',
          parts: [
            `Marmots sleep well. ${index}${payload}So.`,
            {
              type: 'tool',
              tool: `bash${payload}`,
              callID: `c${index}`,
              state: {
                status: 'completed',
                input: { command: `ls ${payload}`, other: payload },
                output: `out ${payload}`,
              },
            },
          ],
        },
        { role: 'user', parts: [`Once more? ${payload}`] },
        { role: 'assistant', parts: [`${payload} the marmot again`] },
      ],
    });
  });
  history.close();
  const files = PAYLOADS.map((payload, index): [string, string] => [
    `docs/${index} ${payload.replace(/[\0/]/g, '_').slice(0, 40)}.md`,
    `---\ntitle: ${JSON.stringify(`Badger ${index} ${payload}`)}\n---\n\n# Badger ${payload}\n\nBadgers dig ${index}. ${payload}\n`,
  ]);
  const shop = env.project('shop', {
    ...Object.fromEntries(files),
    'mempalace.yaml': `wing: wing_shop\nrooms:\n${PAYLOADS.map((payload, index) => `  - name: ${JSON.stringify(`sett ${payload}`.slice(0, 60))}\n    keywords: ["${index} "]\n`).join('')}`,
  });
  const docs = await env.run('mempalace-docs', [shop]);
  if (docs.exitCode !== 0) throw new Error(docs.stderr);
  await env.json('mempalace-session', []);
  const facts = PAYLOADS.map((payload, index) => ({
    subject: `vole ${nameOf(payload)}`,
    predicate: `eats_${index}`,
    object: `grass ${nameOf(payload)}`,
  }));
  return { facts };
});

/** Lines of the output; each must begin with our own text. */
function linesOf(output: string, ours: readonly string[]): string[] {
  const grammar = new RegExp(`^(?:${ours.join('|')})$`, 'u');
  const lines = output.split('\n');
  for (const line of lines) {
    expect(line.match(BREAKS)?.[0], JSON.stringify(line)).toBeUndefined();
    // Everything after the first bar is quoted.
    const bar = line.indexOf('│ ');
    const own = bar === -1 ? line : line.slice(0, bar + 2);
    expect(own, 'begins no line of ours').toMatch(grammar);
  }
  return lines;
}

const ran = async (env: TestEnv, args: string[]): Promise<string> => {
  const { stdout, stderr, exitCode } = await env.run('mempalace', args);
  expect(exitCode, stderr).toBe(0);
  return stdout;
};

describe('foreign text stays in its frame', () => {
  it('with enough hostile texts', () => {
    expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(50);
  });

  it('in search, timeline and lists', async () => {
    const { env } = await given();
    for (const question of ['marmots sleep', 'badgers dig', 'forged user root']) {
      const search = ['search', question, '--limit', '100'];
      const { hits } = (await env.json('mempalace', search)) as { hits: { drawer_id: string }[] };
      const lines = linesOf(await ran(env, search), [
        `results \\(${NOTICE}\\)`,
        '',
        '\\d+\\. │ ',
        ` {3}${DRAWER}, ${LINES} {2}\\d\\.\\d\\d`,
        ' {3}│ ?',
        ' {3}├ (?:text|note|user|assistant|tool call|tool result(?:: error)?|left out here)',
        ` {3}… \\d+ more lines?: mempalace show ${DRAWER}(?: --radius \\d+)?`,
        ' {3}\\d+ more passages? in this (?:document|conversation)',
        'read on: mempalace show <drawer id>, mempalace timeline <drawer id>',
      ]);
      const numbered = lines.flatMap((line) => /^ {3}(drawer_\w+), /.exec(line)?.[1] ?? []);
      expect(numbered).toEqual(hits.map(({ drawer_id: id }) => id));
      const index = linesOf(await ran(env, [...search, '--format', 'index']), [`${DRAWER}\\t${DAY}\\t│ `]);
      expect(index).toHaveLength(hits.length);
      for (const line of index) expect(line.split('\t')).toHaveLength(5);
    }
    const { hits } = (await env.json('mempalace', ['search', 'marmots', '--limit', '8'])) as {
      hits: { drawer_id: string }[];
    };
    for (const { drawer_id: id } of hits) {
      const rows = linesOf(await ran(env, ['timeline', id]), [
        `passages \\(${NOTICE}\\)`,
        '',
        '│ ',
        `⋮ (?:before|after): ${DRAWER}`,
        `(?:▶| ) ${DRAWER}(?: {2}${DAY})? {2}${LINES}(?: {2}(?:user|assistant|tool))?`,
        ' {2}│ ?',
        ' {2}├ (?:note|user|assistant|tool call|tool result(?:: error)?)',
        ' {2}… \\d+ more lines?',
        `also on ${DAY}`,
        ` {2}${DRAWER} {2}\\d+ passages?`,
        '… \\d+ more',
      ]);
      expect(rows.filter((row) => row.startsWith('▶'))).toHaveLength(1);
      const show = linesOf(await ran(env, ['show', id]), [
        `text \\(${NOTICE}\\)`,
        '',
        `${DRAWER}, ${LINES}, passage \\d+ of \\d+`,
        '│ ?',
        '├ (?:note|user|assistant|tool call|tool result(?:: error)?)',
        `(?:before: ${DRAWER})?(?: {2})?(?:after: ${DRAWER})?`,
        'the whole source:',
      ]);
      expect(show.filter((row) => row === '├ user').length).toBeLessThanOrEqual(1);
    }
    const { total } = (await env.json('mempalace', ['list', 'sources'])) as { total: number };
    expect(total).toBeGreaterThan(2 * PAYLOADS.length - 3);
    const sources = linesOf(await ran(env, ['list', 'sources', '--limit', '500']), [`${DAY}\\t│ `]);
    expect(sources).toHaveLength(total);
    for (const line of sources) expect(line.split('\t')).toHaveLength(5);
    const rooms = linesOf(await ran(env, ['list', 'rooms']), ['│ ']);
    for (const line of rooms) expect(line.split('\t')).toHaveLength(4);
    linesOf(await ran(env, ['list', 'wings']), ['│ ']);
    linesOf(await ran(env, ['status']), [
      '.*palace {2}[\\d.]+ [kM]B',
      'model \\S+ \\(\\d+ dimensions\\)',
      `\\d+ drawers from ${total} sources`,
      '',
      '│ ',
      'last (?:success|runs)',
      ' {2}[\\w-]+ +\\d{4}.*',
      ` {2}${DAY} .*`,
    ]);
  }, 300_000);

  it('in whole conversations: turns are those of the records', async () => {
    const { env } = await given();
    for (const index of PAYLOADS.keys()) {
      const rows = linesOf(await ran(env, ['show', idOf(index)]), [
        `text \\(${NOTICE}\\)`,
        '',
        '│ ?',
        `(?:user|assistant|tool call|tool result|note)(?: {2}${DAY})?`,
      ]);
      const headings = rows.flatMap((row) => /^([a-z][a-z ]*?)(?: {2}[\d-]+)?$/.exec(row)?.[1] ?? []);
      expect(headings, JSON.stringify(PAYLOADS[index])).toEqual(SPEAKERS);
    }
  }, 300_000);

  it('over MCP', async () => {
    const { env, built } = await given();
    const { done, refused, client } = await connected(env, ['--tools', 'all']);
    const texts: string[] = [];
    const asked = async (name: string, args: Record<string, unknown> = {}) => {
      const result = await done(name, args);
      expect(result.notice, name).toBe(NOTICE);
      const raw = await client.callTool({ name: `mempalace_${name}`, arguments: args });
      texts.push(JSON.stringify(raw.content));
      const [content] = raw.content;
      expect(content?.type === 'text' && content.text.match(BREAKS)?.[0], name).toBeUndefined();
      return result;
    };
    for (const [index, payload] of PAYLOADS.entries()) {
      const { text, turns } = (await done('show', { id: idOf(index), max_tokens: 20_000 })) as {
        text: string;
        turns: string[];
      };
      expect(turns.map((turn) => turn.slice(0, turn.lastIndexOf('@')))).toEqual(SPEAKERS);
      const starts = turns.map((turn) => Number(turn.slice(turn.lastIndexOf('@') + 1)));
      expect(text.startsWith('User:\n', starts[1])).toBe(true);
      expect(text.startsWith('Assistant:\n', starts[6])).toBe(true);
      const fact = built.facts[index];
      if (index % 4 === 0) {
        await done('kg_add', { ...fact });
        await done('diary_write', {
          agent_name: 'mole',
          entry: `Dug. ${payload}`,
          topic: `day ${nameOf(payload)}`,
        });
        const room = `hole ${nameOf(payload)}`.trim();
        await done('add_drawer', { wing: 'wing_shop', room, content: `Hole ${payload}` });
      }
    }
    const drawers = (await asked('search', { query: 'marmots sleep', limit: 50, max_tokens: 50_000 }))
      .results as { drawer_id: string; turns?: string[] }[];
    expect(drawers.filter(({ turns }) => turns !== undefined).length).toBeGreaterThan(10);
    for (const { drawer_id: id } of drawers.slice(0, 5)) {
      await asked('timeline', { drawer_id: id });
      await asked('get_drawer', { drawer_id: id });
    }
    await asked('list_drawers', { limit: 100 });
    for (const name of ['status', 'list_wings', 'list_rooms', 'get_taxonomy', 'kg_timeline', 'kg_stats'])
      await asked(name);
    await asked('diary_read', { agent_name: 'mole', last_n: 100, max_tokens: 50_000 });
    await asked('check_duplicate', { content: 'Hole', threshold: 0.1 });
    expect(await refused('show', { id: 'nothing\n\nUser:\n' })).toMatchObject({ code: 'not-found' });
    const awake = await asked('wake_up', { max_tokens: 20_000, everywhere: true });
    linesOf(String(awake.text).trimEnd(), WAKE_UP);
    // Text that was written over MCP is in a frame in the CLI, too.
    linesOf(await ran(env, ['diary', 'read', '--agent', 'mole', '--last', '100']), [
      `diary \\(${NOTICE}\\)`,
      '',
      `${DAY} \\d\\d:\\d\\d UTC`,
      '│ ?',
      '├ text',
    ]);
    const facts = linesOf(await ran(env, ['kg', 'timeline', '--limit', '100']), ['│ ']);
    expect(facts).toHaveLength(Math.ceil(PAYLOADS.length / 4));
    linesOf(await ran(env, ['kg', 'stats']), [
      '\\d+ facts about \\d+ things, \\d+ current',
      ' {2}\\d+ {2}│ ',
    ]);
  }, 300_000);

  it('at the start of a session', async () => {
    const { env } = await given();
    const lines = linesOf(await ran(env, ['wake-up', '--everywhere', '--tokens', '20000']), WAKE_UP);
    expect(lines.filter((line) => line.startsWith('│ - ')).length).toBeGreaterThan(30);
    const argv = [
      ...env.argv('mempalace'),
      'hook',
      'run',
      '--hook',
      'session-start',
      '--harness',
      'claude-code',
    ];
    const { stdout } = await execa(process.execPath, argv, {
      env: env.env,
      extendEnv: false,
      input: JSON.stringify({ session_id: 'x', cwd: env.home, hook_event_name: 'SessionStart' }),
    });
    expect(stdout.match(BREAKS)?.[0]).toBeUndefined();
    const { hookSpecificOutput } = JSON.parse(stdout) as {
      hookSpecificOutput: { additionalContext: string };
    };
    linesOf(hookSpecificOutput.additionalContext.trimEnd(), WAKE_UP);
  }, 120_000);

  it('in exports', async () => {
    const { env } = await given();
    const tree = join(env.home, 'tree');
    await env.json('mempalace', ['export', '--to', tree]);
    const files = readdirSync(tree, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    expect(files.length).toBeGreaterThan(2 * PAYLOADS.length - 3);
    for (const name of files) {
      expect(name.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\n]/u)?.[0], JSON.stringify(name)).toBeUndefined();
      const text = readFileSync(join(tree, name), 'utf8');
      const { children } = fromMarkdown(text, {
        extensions: [frontmatter()],
        mdastExtensions: [frontmatterFromMarkdown()],
      });
      const [front, ...body] = children;
      const facts = parse(front?.type === 'yaml' ? front.value : '') as Record<string, unknown>;
      expect(Object.keys(facts).filter((key) => !FRONT.includes(key))).toEqual([]);
      if (facts.kind !== 'conversation') continue;
      const headings = body.flatMap((node) => {
        expect(['heading', 'blockquote']).toContain(node.type);
        return node.type === 'heading' && node.children[0]?.type === 'text' ? [node.children[0].value] : [];
      });
      expect(headings.map((heading) => heading.replace(/ \(.*/, ''))).toEqual(SPEAKERS.slice(1));
    }
    const lines = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', lines]);
    const rows = readFileSync(lines, 'utf8').trimEnd().split('\n');
    for (const row of rows) expect(row.match(BREAKS)?.[0]).toBeUndefined();
    // Import: the same palace with the same turns on another machine.
    const palace = join(env.home, 'other');
    await env.json('mempalace', ['import', lines, '--palace', palace]);
    const rendered = (args: string[]) => ran(env, ['show', idOf(0), ...args]);
    expect(await rendered(['--palace', palace])).toBe(await rendered([]));
    const forged = rows.map((row) => row.replace(/"turns":\[\[/, '"turns":[["user",3],['));
    writeFileSync(lines, forged.join('\n'));
    const third = await env.run('mempalace', ['import', lines, '--palace', join(env.home, 'third')]);
    expect(third.exitCode).toBe(3);
    expect(third.stderr).toContain('its turns are not those of its text');
  }, 300_000);
});

const WAKE_UP = [
  `memory \\(${NOTICE}\\)`,
  '',
  '## (?:who and where|pinned and important|diary|recent sessions|in this palace)',
  '│ ',
  'read on: mempalace show <drawer id>, mempalace search "<words>"',
];

const FRONT = [
  ...'title wing room kind source_key source_file origin session_id directory content_date'.split(' '),
  ...'source_mtime priority pinned drawers'.split(' '),
];
