import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { diaryPrompt } from '../../../contrib/pi/diary.js';
import { filesIn } from '../../support/files-in.js';
import { temporaryFolder } from '../../support/palace.js';
import { harnessNamed, timesIn, transcriptsBelow } from '../../support/staged-transcripts.js';
import { SHARED } from '../../support/test-env.js';

const own = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));
const shared = join(SHARED, 'fixtures', 'pi');

const at = (second: number) => `2026-03-04T05:06:${String(second).padStart(2, '0')}.000Z`;
const header = (id: string, second: number, more: object = {}) => ({
  type: 'session',
  version: 3,
  id,
  timestamp: at(second),
  cwd: '/code/shop',
  ...more,
});
const entry = (id: string, second: number, more: object) => ({
  id,
  parentId: null,
  timestamp: at(second),
  ...more,
});
const message = (id: string, second: number, said: object) =>
  entry(id, second, { type: 'message', message: said });
const user = (id: string, second: number, content: string) => message(id, second, { role: 'user', content });
const assistant = (id: string, second: number, content: string) =>
  message(id, second, { role: 'assistant', content });

describe('sessions of pi', () => {
  it('copied by a fork and its clone are filed once', async () => {
    const { filed, all } = await transcriptsBelow(join(own, 'pi', 'pi-0.73.1'));
    const words = ['TREE-U1', 'TREE-A1', 'FORK-U5', 'FORK-A5', 'CLONE-U6', 'CLONE-A6', 'COMP-A7'];
    for (const each of words) expect([each, timesIn(all, `${each} `)]).toEqual([each, 1]);
    expect(timesIn(all, '[error] 400 PROVIDER-ERROR-1 the model is on fire')).toBe(1);
    expect(filed.map(({ text }) => /^User:\n(\S+)/.exec(text)?.[1])).toEqual(
      expect.arrayContaining(['TREE-U1', 'FORK-U5', 'CLONE-U6', 'COMP-U1']),
    );
  });

  it.skipIf(!existsSync(shared)).each(['pi-0.73.1', 'pi-1.5.2'])('%s, all of them', async (release) => {
    const { all, skipped } = await transcriptsBelow(join(shared, release), { minMessages: 1 });
    expect(skipped.filter(({ problem }) => problem === true)).toEqual([]);
    for (const each of ['CLONE-A6 ', 'FORK-A5 ']) expect([each, timesIn(all, each)]).toEqual([each, 1]);
    expect(timesIn(all, 'TREE-A1 Use')).toBe(1);
    if (release === 'pi-1.5.2') {
      expect(all).toContain('User:\n/skill:demo please run');
      expect(all).not.toContain('SKILL-BODY-TEXT');
      expect(all).not.toContain('HIDDEN-BASH-OUT');
      expect(all).toContain('[error] 503');
    }
  });

  it('contain /mempalace-diary as it was typed, and not what the extension asked', async () => {
    const topics = ['', 'the "proxy", again'];
    const asked = topics.map((topic) =>
      diaryPrompt('mcp__mempalace__mempalace_diary_write', 'pi-laptop', topic),
    );
    const { all } = await transcriptsBelow(
      filesIn({
        'a.jsonl': [
          header('a', 0),
          ...asked.flatMap((text, index) => [
            user(`u${index}`, index + 1, text),
            assistant(`a${index}`, index + 5, 'Written.'),
          ]),
        ],
      }),
    );
    expect(all).toContain('User:\n/mempalace-diary\n');
    expect(all).toContain('User:\n/mempalace-diary the "proxy", again\n');
    expect(all).not.toContain('AAAK');
  });

  it('with equal ids and no copy are distinguished; summaries that a fork copied are not filed again', async () => {
    const talk = [
      user('aa', 1, 'Which port?'),
      assistant('bb', 2, '8443.'),
      entry('cc', 3, { type: 'compaction', summary: 'About a port.' }),
    ];
    const folder = filesIn({
      'x_s1.jsonl': [header('s1', 0), ...talk],
      'x_s2.jsonl': [
        header('s2', 4, { parentSession: '/old/x_s1.jsonl' }),
        ...talk,
        user('dd', 5, 'And now?'),
      ],
      'x_s3.jsonl': [header('s3', 6), user('aa', 1, 'Something else'), assistant('bb', 2, 'Yes.')],
    });
    const { filed, skipped } = await transcriptsBelow(folder, { minMessages: 2 });
    expect(skipped).toEqual([]);
    const texts = Object.fromEntries(filed.map(({ key, text }) => [key, text.trimEnd()]));
    expect(texts['pi:s2']).toBe('User:\nAnd now?');
    expect(texts['pi:s1']).toContain('[summary] About a port.');
    expect(texts['pi:s3']).toBe('User:\nSomething else\n\nAssistant:\nYes.');
  });

  it('of the first format, without ids, are compared by time and text', async () => {
    const bare = (record: object) => ({ ...record, id: undefined, parentId: undefined });
    const talk = [bare(user('', 1, 'Which port?')), bare(assistant('', 2, '8443.'))];
    const folder = filesIn({
      'x_s1.jsonl': [bare(header('s1', 0)), ...talk].map((each) => ({
        ...each,
        id: 'type' in each && each.type === 'session' ? 's1' : undefined,
      })),
      'x_s2.jsonl': [
        { ...header('s2', 4), version: undefined, branchedFrom: 'x_s1.jsonl' },
        ...talk,
        bare(user('', 5, 'And the host?')),
      ],
    });
    const { filed } = await transcriptsBelow(folder, { minMessages: 2 });
    expect(filed.map(({ text }) => text.trimEnd())).toEqual([
      'User:\nWhich port?\n\nAssistant:\n8443.',
      'User:\nAnd the host?',
    ]);
  });

  it('have the last name, no commands with !!, and the typed text of a skill', async () => {
    const skill = '<skill name="demo" location="/s/SKILL.md">\n# Demo\n\nBODY\n</skill>\n\nplease run';
    const bash = { role: 'bashExecution', command: 'cat secret', output: 'x1y2', exitCode: 0 };
    const folder = filesIn({
      'a.jsonl': [
        header('s1', 0),
        entry('n1', 1, { type: 'session_info', name: 'First name' }),
        user('aa', 1, skill),
        message('bb', 2, { ...bash, excludeFromContext: true }),
        message('cc', 3, { ...bash, command: 'git log', output: 'one' }),
        message('dd', 4, { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' }),
        assistant('ee', 5, 'Done.'),
        entry('n2', 6, { type: 'session_info', name: 'Last name' }),
      ],
    });
    const [filed] = (await transcriptsBelow(folder, { minMessages: 2 })).filed;
    expect(filed?.title).toBe('Last name');
    expect(filed?.text.trimEnd()).toBe(
      'User:\n/skill:demo please run\n\nUser:\n[ran] git log\n\none\n\nAssistant:\n[error] overloaded\n\nAssistant:\nDone.',
    );
    // Commands and errors are not messages.
    expect((await transcriptsBelow(folder, { minMessages: 3 })).filed).toEqual([]);
  });

  it('are found by the environment and the settings', () => {
    const home = temporaryFolder();
    const agent = join(home, '.pi', 'agent');
    mkdirSync(agent, { recursive: true });
    const places = (env: NodeJS.ProcessEnv) => harnessNamed('pi').places?.({ HOME: home, ...env });
    expect(places({})).toEqual([join(agent, 'sessions')]);
    writeFileSync(join(agent, 'settings.json'), JSON.stringify({ sessionDir: '~/talks' }));
    expect(places({ PI_CODING_AGENT_SESSION_DIR: '/elsewhere' })).toEqual([
      join(agent, 'sessions'),
      '/elsewhere',
      join(home, 'talks'),
    ]);
    writeFileSync(join(agent, 'settings.json'), '{ broken');
    expect(places({})).toEqual([join(agent, 'sessions')]);
  });
});
