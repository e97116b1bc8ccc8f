import { describe, expect, it } from 'vitest';
import { PriorityJudge } from '../../../src/feeders/docs/priority.js';

const RULES = [
  { match: 'docs/adr/', priority: 'high' },
  { match: '*.log.md', priority: 'low' },
  { match: '/docs/adr/draft-*', priority: 'medium' },
] as const;
const judge = new PriorityJudge(RULES, false);
const approved = new PriorityJudge(RULES, true);
const priorityOf = (path: string, text: string | Uint8Array = 'Nothing special.\n') =>
  judge.priorityOf(path, Buffer.from(text))?.priority;

describe('the origin of a priority', () => {
  const HIGH = '---\npriority: high\n---\n';
  it.each([
    ['README.md', HIGH, 'front-matter', 'front-matter'],
    ['docs/adr/0001.md', 'Text.\n', 'rule', 'approved-rule'],
    ['docs/adr/0001.md', HIGH, 'front-matter', 'approved-rule'],
    ['docs/adr/0001.md', '---\npriority: low\n---\n', 'front-matter', 'front-matter'],
    ['docs/a.log.md', HIGH, 'front-matter', 'front-matter'],
  ])('%s with %j: %s, with approved rules %s', (path, text, unapproved, byUser) => {
    expect(judge.priorityOf(path, Buffer.from(text))?.from).toBe(unapproved);
    expect(approved.priorityOf(path, Buffer.from(text))?.from).toBe(byUser);
  });
});

describe('a watchdog manifest', () => {
  it('counts after front matter and before the rules, and never by itself pins', () => {
    const text = Buffer.from('Text.\n');
    const high = Buffer.from('---\npriority: high\n---\n');
    expect(approved.priorityOf('a.md', high, 'low')).toEqual({ priority: 'high', from: 'front-matter' });
    expect(approved.priorityOf('docs/adr/0001.md', text, 'low')).toEqual({
      priority: 'low',
      from: 'manifest',
    });
    expect(approved.priorityOf('a.md', text, 'high')).toEqual({ priority: 'high', from: 'manifest' });
    expect(approved.priorityOf('docs/adr/0001.md', text, 'high')?.from).toBe('approved-rule');
  });
});

describe('the rules of mempalace.yaml', () => {
  it.each([
    ['docs/adr/0001.md', 'high'],
    ['packages/a/docs/adr/0001.md', undefined],
    ['docs/build.log.md', 'low'],
    ['docs/adr/old.log.md', 'low'],
    ['docs/adr/draft-2.log.md', 'medium'],
    ['README.md', undefined],
  ])('%s: %s, from the last matching rule', (path, priority) => {
    expect(priorityOf(path)).toBe(priority);
  });
});

describe('front matter', () => {
  it.each([
    ['---\npriority: high\n---\ntext', 'high'],
    ['---\r\ntitle: A\r\npriority: "Low" # for now\r\n---\r\ntext', 'low'],
    ["---\npriority: 'medium'\n---\n", 'medium'],
    ['\ufeff---\npriority: high\n---\n', 'high'],
    ['+++\npriority = "low"\n+++\n', 'low'],
    ['+++\n[extra]\npriority = "low"\n+++\n', undefined],
    ['---\nextra:\n  priority: high\n---\n', undefined],
    ['---\npriority: urgent\n---\n', undefined],
    ['---\npriority: highest\n---\n', undefined],
    ['---\npriority: high\nno end of it', undefined],
    ['priority: high\n', undefined],
    ['\n---\npriority: high\n---\n', undefined],
  ])('%j gives %s', (text, priority) => {
    expect(priorityOf('a.md', text)).toBe(priority);
  });

  it('overrides the rules, in UTF-16 too, and only in Markdown', () => {
    const text = '---\npriority: low\n---\n';
    expect(priorityOf('docs/adr/0001.md', text)).toBe('low');
    expect(priorityOf('docs/adr/0001.md', Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe('low');
    expect(priorityOf('docs/adr/0001.txt', text)).toBe('high');
  });

  it('is ignored if it is incomplete', () => {
    const long = `---\n${'x: 1\n'.repeat(10)}priority: high\n---\n`;
    expect(judge.priorityOf('a.md', Buffer.from(long).subarray(0, 40))).toBeUndefined();
  });
});
