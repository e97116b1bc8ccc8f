import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../../support/files-in.js';
import { harnessNamed, timesIn, transcriptsBelow } from '../../support/staged-transcripts.js';
import { SHARED } from '../../support/test-env.js';

const own = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));
const PLACES = [
  ['cut', join(own, 'codex')],
  ['whole', join(SHARED, 'fixtures', 'codex')],
] as const;

const AT = '2026-03-04T05:06:07.000Z';
const record = (type: string, payload: unknown, timestamp = AT) => ({ timestamp, type, payload });
const event = (payload: unknown) => record('event_msg', payload);
const item = (payload: unknown, at = AT) => record('response_item', payload, at);
const user = (text: string, at = AT) =>
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }, at);
const assistant = (text: string, at = AT) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, at);
const session = (id: string, more: object = {}, at = AT) =>
  record('session_meta', { id, timestamp: at, cwd: '/code/shop', ...more }, at);

describe.each(PLACES)('rollouts of Codex, %s', (_, root) => {
  const release = (name: string) => transcriptsBelow(join(root, name));
  const here = it.skipIf(!existsSync(root));

  here('0.169.0: tasks and answers of sub-agents, once; what forks copied, once', async () => {
    const { filed, all, skipped } = await release('0.169.0-gpt-6-sol');
    expect(skipped).toEqual([]);
    const root = '01a204c2-8799-7da0-87c0-22600fc9a02a';
    const keys = filed.map(({ key }) => key);
    expect(keys).toHaveLength(8);
    expect(keys).toContain(`codex:${root}/01a204c2-9139-7953-a79b-29f5df48c0e2`);
    for (const words of [
      'USER-PROMPT-1',
      'WORK-FINAL:',
      'ERR-TAIL-MARK\n\nexit 3',
      'BASH-OUT-MARK-42',
      'MORE-FINAL:',
    ])
      expect([words, timesIn(all, words)]).toEqual([words, 1]);
    // In the file of the sub-agent, and as a message to its parent.
    for (const words of ['SUBSHORT-FINAL:', 'SUB1-FINAL:', 'SUB4-FINAL:'])
      expect([words, timesIn(all, words)]).toEqual([words, 2]);
    expect(timesIn(all, 'SUBSHORT-BASH-OUT-6')).toBe(1);
    expect(timesIn(all, 'FORKED-FINAL')).toBe(1);
    expect(timesIn(all, 'COMPACT-SUMMARY-MARK')).toBe(1);
    expect(all).toContain('[summary] COMPACT-SUMMARY-MARK');
    for (const words of ['AGENTSMD-MARK', 'environment_context', 'Message Type:', 'Another language model'])
      expect(all).not.toContain(words);
    const short = filed.find(({ key }) => key.endsWith('8ee1-7630-a242-0faf6f9b9601'));
    expect(short?.title).toBe('AGENTSHORT-PROMPT-MARK SCRIPT:subshort');
    const main = filed.find(({ key }) => key === `codex:${root}`);
    expect(main?.title).toBe('Please round the cart USER-PROMPT-1 SCRIPT:worksmall');
    expect(timesIn(main?.text ?? '', '[result: error]')).toBe(2);
  });

  here('0.169.0 in a terminal: what a person typed stays, with what it printed', async () => {
    const { filed, all } = await release('0.169.0-tui');
    expect(filed.map(({ title }) => title)).toEqual([
      'TUI-CX-PROMPT SCRIPT:more',
      'CXTUI-PROMPT-1 slow SCRIPT:slow',
    ]);
    expect(all).toContain('[ran] echo CXTUI-BANG-$((6*7))\n\nCXTUI-BANG-42');
    expect(all).not.toContain('user_shell_command');
    expect(timesIn(all, 'CXTUI-QUEUED')).toBe(1);
    // Output of an interrupted script, which is only in an event.
    expect(timesIn(all, 'SLOW-OUT-8')).toBe(1);
  });

  here('0.125.0: without ids; failures are marked', async () => {
    const { filed, all } = await release('0.125.0');
    expect(filed).toHaveLength(6);
    expect(timesIn(all, 'User:\nUSER-PROMPT-agentfork')).toBe(1);
    expect(all).toMatch(
      /\[result: error\]\nChunk ID: \w+\nWall time: [\d.]+ seconds\nProcess exited with code 3/,
    );
    expect(all).toContain('[result: error]\napply_patch verification failed');
    expect(all).toContain('[result]\nChunk ID');
    expect(timesIn(all, 'COMPACT-SUMMARY-MARK')).toBe(1);
    for (const words of ['AGENTSMD-MARK', 'turn_aborted', 'Warning: apply_patch'])
      expect(all).not.toContain(words);
  });
});

describe('a rollout of Codex', () => {
  it('with only events is read from them', async () => {
    const folder = filesIn({
      'a.jsonl': [
        session('s1'),
        user('<environment_context>\n</environment_context>'),
        event({ type: 'user_message', message: 'Which port?' }),
        event({ type: 'agent_reasoning', text: 'Look at the config.' }),
        event({
          type: 'exec_command_end',
          call_id: 'c1',
          command: ['bash', '-lc', 'cat port'],
          aggregated_output: 'no such file',
          exit_code: 1,
        }),
        event({ type: 'agent_message', message: 'Port 8443.' }),
      ],
      'b.jsonl': [
        session('s2'),
        event({ type: 'user_message', message: 'Said twice' }),
        event({
          type: 'item_completed',
          item: { type: 'UserMessage', content: [{ type: 'text', text: 'Said twice' }] },
        }),
        event({
          type: 'item_completed',
          item: { type: 'AgentMessage', content: [{ type: 'Text', text: 'Answered.' }] },
        }),
      ],
    });
    const { filed } = await transcriptsBelow(folder, { minMessages: 2 });
    expect(filed.map(({ title }) => title)).toEqual(['Which port?', 'Said twice']);
    expect(filed[0]?.text).toContain('[reasoning] Look at the config.');
    expect(filed[0]?.text).toContain('cat port');
    expect(filed[0]?.text).toContain('[result: error]\nno such file');
    expect(filed[0]?.text).toContain('Port 8443.');
    expect(filed[1]?.text.trimEnd()).toBe('User:\nSaid twice\n\nAssistant:\nAnswered.');
  });

  it('that was forked by a release without ids contains its own text', async () => {
    const later = '2026-03-04T06:00:00.000Z';
    const talk = [user('Which port?'), assistant('8443.'), user('And the host?'), assistant('localhost.')];
    const folder = filesIn({
      'a.jsonl': [session('s1'), ...talk, user('Go on', '2026-03-04T05:30:00.000Z')],
      'b.jsonl': [
        session('s2', {}, later),
        session('s1', {}, later),
        ...talk.map((each) => ({ ...each, timestamp: later })),
        user('Which port?', '2026-03-04T06:05:00.000Z'),
        user('Go on', '2026-03-04T06:05:01.000Z'),
      ],
    });
    const { filed } = await transcriptsBelow(folder);
    expect(timesIn(filed[0]?.text ?? '', 'localhost.')).toBe(1);
    expect(filed[1]?.text.trimEnd()).toBe('User:\nWhich port?\n\nUser:\nGo on');
  });

  it('keeps answers of sub-agents of the first kind, and does not count the program’s messages', async () => {
    const notification = { agent_id: 'a1', status: { completed: 'The cookie is it.' } };
    const folder = filesIn({
      'a.jsonl': [
        session('s1'),
        user('# AGENTS.md instructions for /code/shop\n\n<INSTRUCTIONS>\nRules.\n</INSTRUCTIONS>'),
        user('Why?'),
        user(`<subagent_notification>\n${JSON.stringify(notification)}\n</subagent_notification>`),
        assistant('The cookie.'),
      ],
    });
    const { filed } = await transcriptsBelow(folder, { minMessages: 2 });
    expect(filed[0]?.text.trimEnd()).toBe(
      'User:\nWhy?\n\n[result]\n[sub-agent a1]\nThe cookie is it.\n\nAssistant:\nThe cookie.',
    );
    expect((await transcriptsBelow(folder, { minMessages: 3 })).filed).toEqual([]);
  });

  it('has the name of its thread as title', async () => {
    const named = event({ type: 'thread_name_updated', thread_id: 's1', thread_name: 'About ports' });
    const folder = filesIn({ 'a.jsonl': [session('s1'), user('Which port?'), assistant('8443.'), named] });
    const { filed } = await transcriptsBelow(folder, { minMessages: 2 });
    expect(filed[0]?.title).toBe('About ports');
  });

  it('is read compressed, and a damaged one is named', async () => {
    const { filed } = await transcriptsBelow(join(own, 'codex-compressed'));
    const plain = await transcriptsBelow(join(own, 'codex', '0.169.0-gpt-6-sol'));
    const key = 'codex:01a204c2-8e7c-78a0-a5fc-6ad50957a710';
    expect(filed).toEqual(plain.filed.filter((each) => each.key === key));
    const folder = filesIn({});
    const [name] = ['rollout-2026-11-22T19-36-29-01a204c2-8e7c-78a0-a5fc-6ad50957a710.jsonl.zst'];
    const bytes = readFileSync(join(own, 'codex-compressed', name ?? ''));
    writeFileSync(join(folder, 'half.jsonl.zst'), bytes.subarray(0, bytes.length / 2));
    const damaged = await transcriptsBelow(folder);
    expect(damaged.skipped).toMatchObject([{ reason: 'unreadable', problem: true }]);
    expect(damaged.skipped[0]?.detail).toContain('damaged');
  });

  it('of a sub-agent replaces the key of earlier releases', async () => {
    const day = join(own, 'codex', '0.169.0-gpt-6-sol');
    const id = '01a204c2-8ee1-7630-a242-0faf6f9b9601';
    const was = { wing: 'wing_a', mtimeMs: 0, hash: '', versions: '' };
    const { filed, contained } = await transcriptsBelow(day, {
      filed: {
        get: (key) => (key === `codex:${id}` ? was : undefined),
        messagesOf: () => [],
        messagesOfAll: () => [],
      },
    });
    const sourceKey = `codex:01a204c2-8e7c-78a0-a5fc-6ad50957a710/${id}`;
    expect(filed.map(({ key }) => key)).toContain(sourceKey);
    expect(contained).toEqual([{ wing: 'wing_a', sourceKey: `codex:${id}`, standsIn: [sourceKey] }]);
    const forgotten = await transcriptsBelow(day, { forgotten: new Set([`codex:${id}`]) });
    expect(forgotten.filed.map(({ key }) => key)).not.toContain(sourceKey);
  });

  it('is also found in the archive folder', () => {
    const places = harnessNamed('codex').places?.({ CODEX_HOME: '/x' });
    expect(places).toEqual([join('/x', 'sessions'), join('/x', 'archived_sessions')]);
  });

  it('names the rollouts that continue it, for a hook', async () => {
    const day = join(own, 'codex', '0.169.0-gpt-6-sol', 'sessions', '2026', '11', '22');
    const of = async (name: string) => {
      const found = await harnessNamed('codex').filesOfSession?.(
        join(day, `rollout-2026-11-22T19-36-${name}.jsonl`),
        '',
      );
      return (found ?? []).map((path) => basename(path));
    };
    const main = 'rollout-2026-11-22T19-36-27-01a204c2-8799-7da0-87c0-22600fc9a02a.jsonl';
    expect(await of('29-01a204c2-9139-7953-a79b-29f5df48c0e2')).toEqual([main]);
    expect(await of('30-01a204c2-94ea-7023-8bc0-b64ebaec05a5')).toEqual([main]);
    expect(await of('30-01a204c2-9314-7ac0-a74e-8a749b34480e')).toEqual([]);
  });
});
