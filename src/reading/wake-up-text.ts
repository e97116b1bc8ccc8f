import { costOf, cutLines } from '../core/fitted-lines.js';
import { BAR, NOTICE } from '../core/outside.js';
import { plural } from '../core/plural.js';
import { cut, estimateTokens, QUARTERS } from '../core/tokens.js';
import type { Remembered } from '../store/index.js';

/** A drawer, document, session or diary entry for the wake-up text. */
export interface Memory
  extends Pick<
    Remembered,
    'drawerId' | 'sourceKey' | 'sessionId' | 'wing' | 'room' | 'title' | 'directory' | 'day' | 'priority'
  > {
  kind: 'drawer' | 'document' | 'session' | 'diary';
  pinned: boolean;
  /** 0–1. */
  score: number;
  /** The beginning of its text; for a session its last question, empty without one. */
  text: string;
}

/** Contents of a wing; when one wing was chosen, of a room. */
export interface Holding {
  name: string;
  sources: number;
  drawers: number;
}

/** What the palace contains, of projects other than the user's. */
export interface Elsewhere {
  projects: number;
  sources: number;
  drawers: number;
}

/** An error that recurs in the sessions of the folder. */
export interface RecurringError {
  tool: string;
  /** The command that fails, or the file; null if unknown. */
  subject: string | null;
  /** Masked. */
  message: string;
  sessions: number;
  /** Files that were changed before the first later success; relative to the folder, if they are in it. */
  fix: { edits: string[] } | null;
  /** Of the success; without one, of the error. */
  drawerId: string;
}

export interface WakeUpParts {
  tokens: number;
  /** Complete lines after the notice, which take what they need of the budget. */
  before?: readonly string[] | undefined;
  identity: string;
  /** Best first, like sessions. */
  important: readonly Memory[];
  errors: readonly RecurringError[];
  diary: readonly Memory[];
  sessions: readonly Memory[];
  holdings: readonly Holding[];
  /** The chosen wing, whose rooms the holdings are. */
  wing?: string | undefined;
  /** Told in place of holdings. */
  elsewhere?: Elsewhere | undefined;
}

/** A memory with as much of its text as was shown. */
interface ShownMemory extends Memory {
  cut: boolean;
}

export interface WakeUpText {
  /** Complete lines; empty when not even the notice fits. */
  text: string;
  /** Estimate, never above the budget. */
  tokens: number;
  /** The part of the identity that was shown. */
  identity: string;
  important: ShownMemory[];
  errors: RecurringError[];
  diary: ShownMemory[];
  sessions: ShownMemory[];
}

/** Shares of the whole budget. */
const IDENTITY_SHARE = 0.3;
const HOLDINGS_SHARE = 0.15;
const ERRORS_SHARE = 0.15;
const DIARY_SHARE = 0.3;
/** Share of the rest for a section; another section gets what it does not use. */
const PART_SHARE = 0.6;
/** A section's share is divided among its texts, but among at most this many. */
const TEXTS_TOGETHER = 6;
const QUESTION = 40 * QUARTERS;
/** The subject of an error, its message, and its fix. */
const ERROR_PART = 20 * QUARTERS;
/** Length of a shown id: long enough to be unique in one person's palace; commands accept it. */
const SHORT_ID = 'drawer_'.length + 12;
/** Marks what follows as quotation. */
const HEAD = `memory (${NOTICE})`;
const READ_ON = 'read on: mempalace show <drawer id>, mempalace search "<words>"';

const NOTHING_SHOWN = { important: [], errors: [], diary: [], sessions: [] };

/** Lays out the memories, best first, within the budget. */
export function composeWakeUp(parts: WakeUpParts): WakeUpText {
  const { before = [] } = parts;
  const budget = parts.tokens * QUARTERS - costOf(before);
  let left = budget - costOf([HEAD]);
  if (left < 0) return { text: '', tokens: 0, identity: '', ...NOTHING_SHOWN };
  const spend = (lines: string[], most: number): string[] => {
    const cost = costOf(lines);
    if (cost > Math.min(most, left)) return [];
    left -= cost;
    return lines;
  };
  const identity = identityLines(parts.identity, Math.min(left, budget * IDENTITY_SHARE));
  left -= costOf(identity);
  const mostHoldings = Math.min(left, budget * HOLDINGS_SHARE);
  const holdings = parts.elsewhere
    ? elsewhereLines(parts.elsewhere, Math.max(mostHoldings, left / 2))
    : holdingsLines(parts.holdings, parts.wing, mostHoldings);
  left -= costOf(holdings);
  const errors = shownErrors(parts.errors, Math.min(left, budget * ERRORS_SHARE));
  const errorLines = linesOfErrors(errors);
  left -= costOf(errorLines);
  const told = [parts.important, parts.diary, parts.sessions, parts.errors];
  const hasMore = parts.elsewhere === undefined || told.some(({ length }) => length > 0);
  const readOn = hasMore ? spend(['', READ_ON], left / 4) : [];

  const important = new Section('## pinned and important', parts.important, false);
  const sessions = new Section('## recent sessions', parts.sessions, true);
  const diary = new Section('## diary', parts.diary, false);
  const sections = [important, sessions];
  const nothingElse = sections.every((section) => section.isEmpty);
  const forDiary = nothingElse ? left : Math.min(left, budget * DIARY_SHARE);
  left -= diary.fill(forDiary, forDiary);
  const rest = left;
  for (const share of [PART_SHARE, 1]) {
    for (const section of sections) {
      const only = sections.every((other) => other === section || other.isEmpty);
      const most = only ? rest : rest * share;
      left -= section.fill(Math.min(left, most - section.cost), most);
    }
  }
  const lines = [
    HEAD,
    ...before,
    ...identity,
    ...important.lines(),
    ...errorLines,
    ...diary.lines(),
    ...sessions.lines(),
    ...holdings,
    ...readOn,
  ];
  const text = lines.map((line) => `${line}\n`).join('');
  return {
    text,
    tokens: estimateTokens(text),
    identity: identity
      .slice(2)
      .map((line) => line.slice(BAR.length))
      .join('\n'),
    important: important.shown,
    errors,
    diary: diary.shown,
    sessions: sessions.shown,
  };
}

/** Memories under a heading; sessions are grouped by project. */
class Section {
  #waiting: readonly Memory[];
  readonly #groups = new Map<string, Entry[]>();
  cost = 0;

  constructor(
    private readonly heading: string,
    private readonly memories: readonly Memory[],
    private readonly grouped: boolean,
  ) {
    this.#waiting = memories;
  }

  get isEmpty(): boolean {
    return this.memories.length === 0;
  }

  get shown(): ShownMemory[] {
    return [...this.#groups.values()].flat().map(({ memory }) => memory);
  }

  lines(): string[] {
    if (this.#groups.size === 0) return [];
    const groups = [...this.#groups].flatMap(([name, entries]) => [
      ...this.#groupLines(name),
      ...entries.flatMap(({ lines }) => lines),
    ]);
    return ['', this.heading, ...groups];
  }

  /**
   * Adds all memories that fit, best first; the others wait for the next call.
   *
   * @param room quarters that may be used now
   * @param share quarters that the section may use altogether
   * @returns quarters that were used
   */
  fill(room: number, share: number): number {
    let left = room;
    const text = share / Math.min(Math.max(this.memories.length, 1), TEXTS_TOGETHER);
    this.#waiting = this.#waiting.filter((memory) => {
      const group = this.grouped ? `${memory.wing}/${memory.room}` : '';
      const above = [
        ...(this.#groups.size === 0 ? ['', this.heading] : []),
        ...(this.#groups.has(group) ? [] : this.#groupLines(group)),
      ];
      const free = left - costOf(above);
      const entry =
        fittedMemory(memory, Math.min(free, text), this.grouped) ??
        fittedMemory(memory, free, this.grouped, true);
      if (entry === undefined) return true;
      const cost = costOf([...above, ...entry.lines]);
      left -= cost;
      this.cost += cost;
      this.#groups.set(group, [...(this.#groups.get(group) ?? []), entry]);
      return false;
    });
    return room - left;
  }

  #groupLines(name: string): string[] {
    return this.grouped ? [`${BAR}${oneLine(name)}`] : [];
  }
}

interface Entry {
  memory: ShownMemory;
  lines: string[];
}

/** A memory in at most `most` quarters, its text cut as needed; undefined when it does not fit. */
export function fittedMemory(
  memory: Memory,
  most: number,
  grouped: boolean,
  headOnly = false,
): Entry | undefined {
  const head = BAR + headOf(memory, grouped);
  const indent = `${BAR}  `;
  const room = most - costOf([head]);
  if (room < 0) return undefined;
  if (headOnly || memory.text === '')
    return { memory: { ...memory, text: '', cut: memory.text !== '' }, lines: [head] };
  const session = memory.kind === 'session';
  // A sub-agent's questions come from another agent. The key of its transcript is `<harness>:<session>/<agent>`.
  const asked = memory.sourceKey.includes('/') ? 'a sub-agent, asked: ' : 'asked: ';
  const label = session ? asked : '';
  const { lines, shortened } = session
    ? cutLines(oneLine(memory.text), Math.min(room, QUESTION), indent + label, indent)
    : cutLines(memory.text, room, indent, indent);
  if (lines.length === 0) return undefined;
  const text = lines.map((line, index) =>
    line.slice(index === 0 ? indent.length + label.length : indent.length),
  );
  return { memory: { ...memory, text: text.join('\n'), cut: shortened }, lines: [head, ...lines] };
}

/** `2026-01-02  Title (folder)  drawer_0123456789ab` */
function headOf(
  { kind, day, wing, room, title, directory, drawerId, priority, pinned }: Memory,
  grouped: boolean,
): string {
  const folder = oneLine(directory ?? '')
    .split(/[/\\]/)
    .findLast((name) => name !== '');
  const note =
    kind === 'session' && folder !== undefined && folder !== oneLine(room) ? ` (${cut(folder, 40)})` : '';
  const place = grouped ? [] : [cut(oneLine(`${wing}/${room}`), 60)];
  const marks = [...(pinned ? ['pinned'] : []), ...(priority === 'high' ? ['high'] : [])];
  const name = cut(oneLine(title), 80) || kind;
  return ['-', day, ...place, `${name}${note}`, drawerId.slice(0, SHORT_ID), ...marks].join(' ');
}

/** As many as fit, the first ones. */
function shownErrors(errors: readonly RecurringError[], most: number): RecurringError[] {
  let count = errors.length;
  while (count > 0 && costOf(linesOfErrors(errors.slice(0, count))) > most) count -= 1;
  return errors.slice(0, count);
}

/** `shell npm test: Cannot find module (2 sessions, succeeded after changing package.json) drawer_0123456789ab` */
function linesOfErrors(errors: readonly RecurringError[]): string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(({ tool, subject, message, sessions, fix, drawerId }) => {
    const about = cut(oneLine([tool, subject].filter(Boolean).join(' ')), ERROR_PART);
    const edits = fix?.edits.length
      ? `, succeeded after changing ${fix.edits.join(', ')}`
      : ', succeeded later';
    const times = cut(oneLine(`${plural(sessions, 'session')}${fix === null ? '' : edits}`), ERROR_PART);
    return `${BAR}- ${about}: ${cut(oneLine(message), ERROR_PART)} (${times}) ${drawerId.slice(0, SHORT_ID)}`;
  });
  return ['', '## errors that recur', ...rows];
}

function identityLines(identity: string, most: number): string[] {
  const heading = ['', '## who and where'];
  const { lines } = cutLines(identity.trim(), most - costOf(heading), BAR, BAR);
  return lines.length === 0 ? [] : [...heading, ...lines];
}

/** `1200 drawers from 30 sources: wing_a 900, wing_b 300`; of one wing, `… 30 sources in wing_a: docs 700, general 200` */
function holdingsLines(holdings: readonly Holding[], wing: string | undefined, most: number): string[] {
  if (holdings.length === 0) return [];
  const sum = (key: 'drawers' | 'sources') => holdings.reduce((total, holding) => total + holding[key], 0);
  const where = wing === undefined ? '' : ` in ${cut(oneLine(wing), 60)}`;
  const total = `${plural(sum('drawers'), 'drawer')} from ${plural(sum('sources'), 'source')}${where}`;
  const names = holdings.map(({ name, drawers }) => `${cut(oneLine(name), 60)} ${drawers}`);
  const withNames = (count: number): string[] => {
    const more = count < names.length ? [`${names.length - count} more`] : [];
    return ['', HOLDINGS_HEADING, `${BAR}${total}: ${[...names.slice(0, count), ...more].join(', ')}`];
  };
  // The number of names is bounded first: there may be many wings.
  let count = Math.min(names.length, Math.max(0, Math.floor(most / QUARTERS)));
  while (count > 0 && costOf(withNames(count)) > most) count -= 1;
  const lines = count === 0 ? ['', HOLDINGS_HEADING, `${BAR}${total}`] : withNames(count);
  return costOf(lines) > most ? [] : lines;
}

/** `1200 drawers from 30 sources of 3 projects and sessions; a search finds them` */
function elsewhereLines({ projects, sources, drawers }: Elsewhere, most: number): string[] {
  if (drawers === 0) return [];
  const of = projects === 0 ? '' : ` of ${plural(projects, 'project')} and sessions`;
  const total = `${plural(drawers, 'drawer')} from ${plural(sources, 'source')}${of}; a search finds them`;
  const lines = ['', HOLDINGS_HEADING, `${BAR}${total}`];
  return costOf(lines) > most ? [] : lines;
}

const HOLDINGS_HEADING = '## in this palace';

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
