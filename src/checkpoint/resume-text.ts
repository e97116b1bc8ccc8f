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
/** Items of a list that may take the place of others, once these are shorter. */
const SPARE = 2;

/** A part of what an agent is told of a session. Nothing of it is in the frame yet. */
interface Section {
  heading: string;
  /** Each becomes a line; they are left out from the end if there is too little room. */
  items: readonly string[];
  /** Number of further items, which cannot be told. */
  more?: number;
  /** A text that is cut instead. */
  text?: string;
  /** Its end is told, too: a request often follows what it is about. */
  withEnd?: boolean;
  /** Share of the budget that is kept for it. */
  share: number;
}

/** What an agent may be told of a session, in the words of its transcript. */
export interface ResumeDraft {
  head: string;
  /** The most important first. */
  sections: readonly Section[];
}

/** @param folder the working folder: paths in it are relative */
export function resumeDraft(checkpoint: Checkpoint, folder?: string): ResumeDraft {
  const sections = sectionsOf(checkpoint, folder).filter(
    ({ items, text = '' }) => items.length > 0 || text !== '',
  );
  return { head: headOf(checkpoint), sections };
}

/** Without what would not fit in `tokens`, apart from a few items per list: another text of the others may be shorter. */
export function tellable(draft: ResumeDraft, tokens: number): ResumeDraft {
  const told = inBudget(draft, tokens).flatMap(({ section, lines, shown }) => {
    const kept = section.items.slice(0, shown + SPARE);
    // Room is kept for all others.
    if (lines.length === 0 && section.share === 0) return [];
    return { ...section, items: kept, more: section.items.length - kept.length };
  });
  return { ...draft, sections: told };
}

/**
 * A draft for an agent: lines in the frame of wake-up, at most `tokens`. What does not fit is cut, with a mark. Empty if not
 * even the heading fits.
 */
export function resumeText(draft: ResumeDraft, tokens: number): string[] {
  const lines = headLines(draft);
  if (costOf(lines) > budgetOf(tokens)) return [];
  return [...lines, ...inBudget(draft, tokens).flatMap((each) => each.lines)];
}

const budgetOf = (tokens: number): number => Math.min(tokens, MOST_RESUME_TOKENS) * QUARTERS;
const headLines = ({ head }: ResumeDraft): string[] => ['', HEADING, BAR + cut(quotable(head), ITEM)];

interface Fitted {
  /** Empty if nothing of the section fits. */
  lines: string[];
  /** Number of items. */
  shown: number;
}

function inBudget(draft: ResumeDraft, tokens: number): (Fitted & { section: Section })[] {
  const { sections } = draft;
  const budget = budgetOf(tokens);
  const kept = sections.map((section) => costOf(fitted(section, section.share * budget).lines));
  let left = budget - costOf(headLines(draft));
  return sections.map((section, index) => {
    const forOthers = kept.slice(index + 1).reduce((sum, cost) => sum + cost, 0);
    const found = fitted(section, Math.max(left - forOthers, Math.min(left, section.share * budget)));
    left -= costOf(found.lines);
    return { ...found, section };
  });
}

/** Two lines about a session that broke off. @param name of its source */
export function brokeOffText({ at, asks }: Pick<Checkpoint, 'at' | 'asks'>, name: string): string[] {
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

/** The lines of a section, at most `room` quarters. */
function fitted({ heading, items, more = 0, text, withEnd = false }: Section, room: number): Fitted {
  const left = room - costOf([heading]);
  if (text !== undefined) {
    const said = quotable(text);
    const lines = withEnd ? endLines(said, left, BAR, leftOut) : cutLines(said, left, BAR, BAR).lines;
    return { lines: lines.length === 0 ? [] : [heading, ...lines], shown: 0 };
  }
  const rows: string[] = [];
  let cost = 0;
  for (const item of items) {
    const row = BAR + cut(quotable(item).replace(/\s+/g, ' ').trim(), ITEM);
    if (cost + costOf([row]) > left) break;
    rows.push(row);
    cost += costOf([row]);
  }
  const rest = () => items.length + more - rows.length;
  const mark = () => (rest() === 0 ? [] : [`${BAR}… ${plural(rest(), 'more', 'more')}`]);
  while (rows.length > 0 && cost + costOf(mark()) > left) cost -= costOf([rows.pop() ?? '']);
  return { lines: rows.length === 0 ? [] : [heading, ...rows, ...mark()], shown: rows.length };
}
