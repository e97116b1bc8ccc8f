import { basename, sep } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import type { Harness } from '../harness.js';
import { readText } from '../head.js';
import { type Entry, malformed, type Turn, titled, turn } from '../turns.js';

/**
 * Plain text in MemPalace's form: the user's lines begin with `>`, the following lines are the answer. White space, blank
 * lines, `---` and text before the first `>` are kept.
 */
const QUOTE = /^>[ \t]?/;
const LEAST_QUOTES = 3;
/** Folders of programs, in which text is a tool's output or a note. */
const OF_PROGRAMS = new Set('.claude .codex .copilot .gemini .kimi .pi .qwen tool-results'.split(' '));

export const quotedText: Harness = {
  name: 'text',
  label: 'text in which the questions are quoted with >',
  patterns: ['**/*.txt', '**/*.md'],
  isTranscript: (path) =>
    !/\.(?:txt|md)$/.test(path) || !path.split(sep).some((name) => OF_PROGRAMS.has(name)),
  recognises: ({ path, beginning }) =>
    /\.(?:txt|md)$/.test(path) && !/^\s*[[{]/.test(beginning) && quotesIn(beginning) >= LEAST_QUOTES,
  isCertain(head) {
    const turns = turnsOf(head.beginning);
    const exchanges = turns.filter(({ role }, at) => role === 'user' && turns[at + 1]?.role === 'assistant');
    // A document with quotations starts with other words, and has headings.
    const isDocument = turns[0]?.role !== 'user' || /^#{1,6} /m.test(head.beginning);
    return quotedText.recognises(head) && exchanges.length >= LEAST_QUOTES && !isDocument;
  },
  identify: () => [{ sessionId: undefined }],
  async *read({ files }): AsyncGenerator<Entry> {
    for (const { path, size } of files) {
      yield* titled(basename(path).replace(/\.\w+$/, ''));
      try {
        yield* turnsOf(await readText(path, 0, size));
      } catch (error) {
        yield malformed(messageOf(error));
      }
    }
  },
};

function quotesIn(text: string): number {
  return text.split('\n').filter((line) => QUOTE.test(line)).length;
}

/** Consecutive quoted lines are one message, and so are the lines between them. */
function turnsOf(text: string): Turn[] {
  const turns: Turn[] = [];
  let role: Turn['role'] | undefined;
  let lines: string[] = [];
  const finish = () => {
    const said = lines.join('\n').replace(/^\n+|\s+$/g, '');
    lines = [];
    if (said === '' || role === undefined) return;
    turns.push(turn(role, said, { spoken: role === 'user' }));
  };
  for (const line of text.split(/\r?\n/)) {
    const by = QUOTE.test(line) ? 'user' : 'assistant';
    if (by !== role) finish();
    role = by;
    lines.push(by === 'user' ? line.replace(QUOTE, '') : line);
  }
  finish();
  return turns;
}
