import { pathBelow } from '../core/file-path.js';
import { costOf, cutLines, endLines } from '../core/fitted-lines.js';
import { BAR, quotable } from '../core/outside.js';
import { plural } from '../core/plural.js';
import { cut, QUARTERS } from '../core/tokens.js';
import type { Checkpoint } from './record.js';
import { headOf } from './text.js';

/** The most that an agent is told of a session, tokens. */
export const MOST_RESUME_TOKENS = 600;

const HEADING = '## session resume context';
/** Quarters of tokens for an item that is not the last request. */
const ITEM = 60 * QUARTERS;

interface Section {
  heading: string;
  /** Complete lines, which are left out from the end if there is too little room. */
  items: string[];
  /** A text that is cut instead. */
  text?: string;
  /** Its end is told, too: a request often follows what it is about. */
  withEnd?: boolean;
  /** Share of the budget that is kept for it. */
  share: number;
}

/**
 * A checkpoint for an agent: lines in the frame of wake-up, at most `tokens`. What does not fit is cut, with a mark. Empty
 * if not even the heading fits.
 *
 * @param folder the working folder: paths in it are relative
 */
export function resumeText(checkpoint: Checkpoint, tokens: number, folder?: string): string[] {
  const budget = Math.min(tokens, MOST_RESUME_TOKENS) * QUARTERS;
  const lines = ['', HEADING, BAR + cut(quotable(headOf(checkpoint)), ITEM)];
  const sections = sectionsOf(checkpoint, folder).filter(
    ({ items, text = '' }) => items.length > 0 || text !== '',
  );
  if (costOf(lines) > budget) return [];
  const wanted = sections.map((section) => costOf(fitted(section, Number.POSITIVE_INFINITY)));
  for (const [index, section] of sections.entries()) {
    const left = budget - costOf(lines);
    const kept = sections
      .slice(index + 1)
      .reduce((sum, { share }, at) => sum + Math.min(wanted[index + 1 + at] ?? 0, share * budget), 0);
    lines.push(...fitted(section, Math.max(left - kept, Math.min(left, section.share * budget))));
  }
  return lines;
}

/** Two lines about a session that broke off. @param name of its source */
export function brokeOffText({ at, asks }: Checkpoint, name: string): string[] {
  const time = at === undefined ? '' : `, ${at.slice(0, 16).replace('T', ' ')} UTC`;
  const ask = asks.at(-1) ?? '';
  const lines = [
    `the last session in this folder broke off, or still runs${time}: mempalace checkpoint show ${name}`,
    `its last request: ${ask}`,
  ];
  const shown = lines.slice(0, ask === '' ? 1 : 2);
  return ['', HEADING, ...shown.map((each) => BAR + cut(quotable(each).replace(/\s+/g, ' ').trim(), ITEM))];
}

/** The most important first. */
function sectionsOf(
  { asks, todos, files, errors, note = '', summary = '' }: Checkpoint,
  folder?: string,
): Section[] {
  const last = asks.at(-1) ?? '';
  const earlier = asks.slice(0, -1).reverse();
  const inFolder = (path: string) => (folder === undefined ? path : (pathBelow(folder, path) ?? path));
  const changed = new Map<string, string>();
  // One call names a file by its path in the folder, another one by its whole path; the last one counts.
  for (const { path, action } of [...files].reverse())
    if (!changed.has(inFolder(path))) changed.set(inFolder(path), action);
  return [
    { heading: '### last request', items: [], text: last, withEnd: true, share: 0.25 },
    { heading: '### open tasks', items: todos.map((todo) => `- [ ] ${todo}`), share: 0.25 },
    {
      heading: '### changed files',
      items: Array.from(changed, ([path, action]) => `- ${path} (${action})`),
      share: 0.25,
    },
    {
      heading: '### errors without a later success',
      items: [...errors].reverse().map(({ tool, subject, message }) => `- ${tool} ${subject}: ${message}`),
      share: 0.1,
    },
    { heading: '### key decisions', items: [], text: note, share: 0.1 },
    { heading: '### earlier requests, newest first', items: earlier.map((ask) => `- ${ask}`), share: 0.05 },
    { heading: '### summary', items: [], text: summary, share: 0 },
  ];
}

const leftOut = (characters: number): string => `… ${plural(characters, 'character')} left out …`;

/** The lines of a section, at most `room` quarters; empty if nothing of it fits. */
function fitted({ heading, items, text, withEnd = false }: Section, room: number): string[] {
  const left = room - costOf([heading]);
  if (text !== undefined) {
    const said = quotable(text);
    const lines = withEnd ? endLines(said, left, BAR, leftOut) : cutLines(said, left, BAR, BAR).lines;
    return lines.length === 0 ? [] : [heading, ...lines];
  }
  // A row costs more than a token.
  const rows = items
    .slice(0, Math.max(0, Math.min(items.length, left / QUARTERS)))
    .map((item) => BAR + cut(quotable(item).replace(/\s+/g, ' ').trim(), ITEM));
  let count = rows.length;
  const shown = () => [
    ...rows.slice(0, count),
    ...(count < items.length ? [`${BAR}… ${plural(items.length - count, 'more', 'more')}`] : []),
  ];
  while (count > 0 && costOf(shown()) > left) count -= 1;
  return count === 0 ? [] : [heading, ...shown()];
}
