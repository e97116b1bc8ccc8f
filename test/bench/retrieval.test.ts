import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as conversations from '../../bench/retrieval/conversations.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as measures from '../../bench/retrieval/measures.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as documents from '../../bench/retrieval/on-documents.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as markdown from '../../bench/retrieval/sections.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as staging from '../../bench/retrieval/stage.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as mapping from '../../bench/retrieval/turns.mjs';
import { temporaryFolder } from '../support/palace.js';
import { readTranscript } from '../support/staged-transcripts.js';

interface Turn {
  id: string;
  role: string;
  text: string;
}
interface Conversation {
  id: string;
  sessions: { sessionId: string; title?: string; startMs: number; turns: Turn[] }[];
  questions: { text: string; category: string; turns: string[]; sessions: string[] }[];
  leftOut: { question: string; reason: string }[];
}
interface Lines {
  line_start: number;
  line_end: number;
}
interface Shown extends Lines {
  drawer_id?: string;
  text: string;
  focus?: Lines;
  passage?: Lines & { text: string; drawers: (Lines & { drawer_id: string; score: number })[] };
}
interface Ranking {
  ranked: string[];
  relevant: string[];
}
type Measure = (ranked: string[], relevant: string[], k: number) => number;

const BENCH = fileURLToPath(new URL('../../bench/retrieval.mjs', import.meta.url));
const {
  recall,
  ndcg,
  hit,
  reciprocal,
  measure,
  rankOf,
}: {
  recall: Measure;
  ndcg: Measure;
  hit: Measure;
  reciprocal: Measure;
  measure: (answers: Ranking[], by?: string) => Record<string, number>;
  rankOf: (ranked: string[], relevant: string[]) => number | undefined;
} = measures;
const {
  readConversation,
  dateOf,
}: {
  readConversation: (raw: unknown) => Conversation;
  dateOf: (text: string) => number;
} = conversations;
const { stageConversation }: { stageConversation: (conversation: Conversation, folder: string) => void } =
  staging;
const { turnsOf }: { turnsOf: (hit: Shown, turns: Turn[]) => string[] } = mapping;
const {
  sectionsOf,
}: {
  sectionsOf: (markdown: string, heading: string) => { first: number; last: number }[];
} = markdown;
const { loadQuestions }: { loadQuestions: () => { questions: unknown[]; leftOut: { reason: string }[] } } =
  documents;

const raw = {
  id: 'talk',
  sessions: [
    {
      id: 'session_1',
      date: '1:56 pm on 8 May, 2023',
      title: 'The oven',
      turns: [
        { dia_id: 'D1:1', speaker: 'Ann', text: 'The oven is cold.' },
        { dia_id: 'D1:2', speaker: 'Bo', text: 'Is the fuse in?\nLook behind the door.' },
        { dia_id: 'D1:3', speaker: 'Ann', text: 'The oven is cold. Still.' },
      ],
    },
    {
      id: 'session_2',
      date: '12:05 am on 1 January, 2024',
      turns: [{ dia_id: 'D2:1', speaker: 'Bo', text: 'Happy new year' }],
    },
  ],
  qa: [
    { question: 'What was\ncold?', evidence: ['D1:1; D2:01'], category: 1 },
    { question: 'Nobody knows?', evidence: [], category: 3 },
    { question: 'A slip?', evidence: ['D9:9'], category: 4 },
  ],
};
const talk = readConversation(raw);
const turns = talk.sessions[0]?.turns ?? [];

describe('measures', () => {
  it('count the share of found evidence', () => {
    expect(recall(['a', 'b', 'c'], ['a', 'c'], 1)).toBe(0.5);
    expect(recall(['a', 'b', 'c'], ['a', 'c'], 3)).toBe(1);
    expect(recall([], ['a'], 10)).toBe(0);
  });

  it('discount late hits, relative to the best order', () => {
    expect(ndcg(['a', 'b', 'x'], ['a', 'b'], 10)).toBe(1);
    expect(ndcg(['x', 'a'], ['a'], 10)).toBeCloseTo(1 / Math.log2(3), 12);
    expect(ndcg(['x', 'a'], ['a', 'b'], 10)).toBeCloseTo(1 / Math.log2(3) / (1 + 1 / Math.log2(3)), 12);
    expect(ndcg(['x', 'a'], ['a'], 1)).toBe(0);
  });

  it('are means over questions, in per cent', () => {
    const answers = [
      { ranked: ['a'], relevant: ['a'] },
      { ranked: ['x', 'b'], relevant: ['b'] },
    ];
    expect(measure(answers)).toMatchObject({ 'R@1': 50, 'R@5': 100, 'R@10': 100 });
    expect(measure(answers, 'hits')).toEqual({ 'hit@1': 50, 'hit@5': 100, 'hit@10': 100, 'MRR@10': 75 });
    expect(rankOf(['x', 'b'], ['b', 'c'])).toBe(2);
    expect(rankOf(['x'], ['b'])).toBeUndefined();
  });

  it('count the first of several answers', () => {
    expect(hit(['x', 'b', 'a'], ['a', 'b'], 1)).toBe(0);
    expect(hit(['x', 'b', 'a'], ['a', 'b'], 2)).toBe(1);
    expect(reciprocal(['x', 'b', 'a'], ['a', 'b'], 10)).toBe(0.5);
    expect(reciprocal(['x', 'b', 'a'], ['a', 'b'], 1)).toBe(0);
    expect(reciprocal([], ['a'], 10)).toBe(0);
  });
});

describe('conversations', () => {
  it('have unique names, and evidence that exists', () => {
    expect(talk.questions).toEqual([
      {
        text: 'What was cold?',
        category: 'multi-hop',
        turns: ['talk:D1:1', 'talk:D2:1'],
        sessions: ['talk-session_1', 'talk-session_2'],
      },
    ]);
    expect(talk.leftOut.map(({ reason }) => reason)).toEqual(['no evidence', 'evidence of no turn']);
  });

  it('have dates as LoCoMo writes them', () => {
    expect(new Date(dateOf('1:56 pm on 8 May, 2023')).toISOString()).toBe('2023-05-08T13:56:00.000Z');
    expect(new Date(dateOf('12:05 am on 1 January, 2024')).toISOString()).toBe('2024-01-01T00:05:00.000Z');
    expect(() => dateOf('yesterday')).toThrow('not a date');
  });

  it('are staged as transcripts that the miner reads, the first speaker as the user', async () => {
    const folder = temporaryFolder();
    stageConversation(talk, folder);
    const file = join(folder, 'talk-session_1.jsonl');
    const { head, item, text } = await readTranscript(file);
    expect(head).toMatchObject({
      harness: 'claude-code',
      sessionId: 'talk-session_1',
      cwd: '/home/reader/talk',
      title: 'The oven',
    });
    expect(item.conversation.identity.begun).toBe('2023-05-08T13:56:00.000Z');
    expect(text).toContain('User:\nAnn: The oven is cold.\n\nAssistant:\nBo: Is the fuse in?');
    expect(statSync(file).mtime.toISOString()).toBe('2023-05-08T13:59:00.000Z');
    const second = readFileSync(join(folder, 'talk-session_2.jsonl'), 'utf8');
    expect(JSON.parse(second)).toMatchObject({ type: 'assistant', message: { role: 'assistant' } });
  });

  it('of our own have evidence for every question', () => {
    const own: unknown[] = JSON.parse(
      readFileSync(new URL('../../bench/retrieval/own-set.json', import.meta.url), 'utf8'),
    );
    const read = own.map(readConversation);
    expect(read.flatMap(({ leftOut }) => leftOut)).toEqual([]);
    expect(read.flatMap(({ questions }) => questions)).toHaveLength(50);
  });
});

describe('the turns of a hit', () => {
  const text =
    'User:\nAnn: The oven is cold.\n\nAssistant:\nBo: Is the fuse in?\n Look behind the door.\n\nUser:\nAnn: The oven is cold. Still.\n\n';
  const whole = { text, line_start: 11, line_end: 20 };

  it('come in order, with any white space, and none twice', () => {
    expect(turnsOf(whole, turns)).toEqual(['talk:D1:1', 'talk:D1:2', 'talk:D1:3']);
  });

  it('do not include a turn that is only the beginning of a longer one', () => {
    const last = { text: 'User:\nAnn: The oven is cold. Still.\n\n', line_start: 18, line_end: 20 };
    expect(turnsOf(last, turns)).toEqual(['talk:D1:3']);
  });

  it('begin with the focus', () => {
    const focused = { ...whole, focus: { line_start: 16, line_end: 16 } };
    expect(turnsOf(focused, turns)).toEqual(['talk:D1:2', 'talk:D1:1', 'talk:D1:3']);
  });

  it('are found by a part, if a drawer ends inside a turn', () => {
    const cut = { text: 'Assistant:\nBo: Is the fuse in?\nLook', line_start: 14, line_end: 16 };
    expect(turnsOf(cut, turns)).toEqual(['talk:D1:2']);
    const rest = { text: 'behind the door.\n\nUser:\n', line_start: 16, line_end: 18 };
    expect(turnsOf(rest, turns)).toEqual(['talk:D1:2']);
  });

  it('of a passage follow the turns of the hit itself, the best drawer first', () => {
    const own = { drawer_id: 'b', line_start: 15, line_end: 16 };
    const hit = {
      ...own,
      text: 'Bo: Is the fuse in?\n Look behind the door.\n',
      passage: {
        text,
        line_start: 11,
        line_end: 20,
        drawers: [
          { drawer_id: 'a', score: 0.1, line_start: 11, line_end: 13 },
          { ...own, score: 0.9 },
          { drawer_id: 'c', score: 0.2, line_start: 18, line_end: 20 },
        ],
      },
    };
    expect(turnsOf(hit, turns)).toEqual(['talk:D1:2', 'talk:D1:3', 'talk:D1:1']);
  });
});

describe('documents', () => {
  it('have sections that include their subsections', () => {
    const markdown = '# A\n\n## B ##\ntext\n```\n# no heading\n```\n### C\n\n## D\n';
    expect(sectionsOf(markdown, 'B')).toEqual([{ first: 3, last: 9 }]);
    expect(sectionsOf(markdown, 'D')).toEqual([{ first: 10, last: 11 }]);
    expect(sectionsOf(markdown, 'no heading')).toEqual([]);
  });

  it('that the questions need are installed, with one section each', () => {
    const { questions, leftOut } = loadQuestions();
    expect(leftOut).toEqual([]);
    expect(questions.length).toBeGreaterThanOrEqual(80);
  });
});

describe('node bench/retrieval.mjs', () => {
  const run = (...args: string[]) => execaSync(process.execPath, [BENCH, ...args], { reject: false });

  it('names its sets and refuses others', () => {
    expect(run('--help').stdout).toContain('locomo, docs, short, summaries, docs-dev');
    const refused = run('--only', 'nothing');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('there is no set nothing');
  });
});
