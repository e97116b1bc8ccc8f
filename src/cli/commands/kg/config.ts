import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { dayInWords } from '../../../core/moment.js';
import type { FactInput, FactWords } from '../../../knowledge/facts/index.js';
import type { Direction } from '../../../store/index.js';
import { parseCount, parseDuration } from '../../app/durations.js';
import { DIRECTIONS, KG_ACTIONS, type KgAction, type KgFlags } from './actions.js';

/** What `mempalace kg` is to do. */
export type KgConfig =
  | { what: 'add'; input: FactInput }
  | { what: 'supersede'; input: FactInput; former: string | undefined }
  | { what: 'invalidate'; words: FactWords; at: string | undefined }
  | {
      what: 'query';
      entity: string;
      asOf: string | undefined;
      direction: Direction;
      predicate: string | undefined;
      limit: number;
    }
  | { what: 'timeline'; entity: string | undefined; limit: number; offset: number }
  | { what: 'stats' }
  | { what: 'export'; to: string | undefined }
  | {
      what: 'forget';
      which: { id: string } | { words: FactWords };
      removeBackups: boolean;
      dryRun: boolean;
      yes: boolean;
      waitMs: number;
    }
  | { what: 'import'; file: string; dryRun: boolean };

type Own = Exclude<keyof KgFlags, 'json' | 'palace' | 'quiet' | 'verbose' | 'debug' | 'color'>;

const LIMIT = 50;
const WAIT = '10s';
/** Words that each action takes, at least and at most, and its flags. */
const TAKES: Record<KgAction, { words: [number, number]; flags: readonly Own[] }> = {
  add: { words: [3, 3], flags: ['from', 'until', 'confidence', 'drawer', 'source'] },
  supersede: { words: [3, 4], flags: ['at', 'confidence', 'drawer', 'source'] },
  invalidate: { words: [3, 3], flags: ['at'] },
  query: { words: [1, 1], flags: ['asOf', 'direction', 'predicate', 'limit'] },
  timeline: { words: [0, 1], flags: ['limit', 'offset'] },
  stats: { words: [0, 0], flags: [] },
  forget: { words: [1, 3], flags: ['backups', 'dryRun', 'yes', 'wait'] },
  export: { words: [0, 0], flags: ['to'] },
  import: { words: [1, 1], flags: ['dryRun'] },
};
const OWN_FLAGS = [...new Set(Object.values(TAKES).flatMap(({ flags }) => flags))];

/** @throws UserError `usage` */
export function kgConfig(name: string, words: readonly string[], flags: KgFlags): KgConfig {
  const what = KG_ACTIONS.find((action) => action === name);
  if (what === undefined) {
    throw new UserError('usage', `kg takes one of ${KG_ACTIONS.join(', ')}, not ${JSON.stringify(name)}`);
  }
  requireFitting(what, words, flags);
  const [first = '', second = '', third = '', fourth] = words;
  const now = new Date();
  const [at, from, until, asOf] = [flags.at, flags.from, flags.until, flags.asOf].map((text) =>
    text === undefined ? undefined : (dayInWords(text, now) ?? text),
  );
  const told = {
    confidence: flags.confidence === undefined ? undefined : confidenceOf(flags.confidence),
    sourceDrawerId: flags.drawer,
    sourceFile: flags.source,
  };
  const limit = flags.limit === undefined ? LIMIT : parseCount('--limit', flags.limit, 1);
  switch (what) {
    case 'add': {
      const input = { subject: first, predicate: second, object: third, ...told };
      return { what, input: { ...input, validFrom: from, validTo: until } };
    }
    case 'supersede': {
      const [former, object] = fourth === undefined ? [undefined, third] : [third, fourth];
      return { what, input: { subject: first, predicate: second, object, ...told, validFrom: at }, former };
    }
    case 'invalidate':
      return { what, words: { subject: first, predicate: second, object: third }, at };
    case 'query':
      return {
        what,
        entity: first,
        asOf,
        direction: directionOf(flags.direction),
        predicate: flags.predicate,
        limit,
      };
    case 'timeline': {
      const offset = flags.offset === undefined ? 0 : parseCount('--offset', flags.offset, 0);
      return { what, entity: words[0], limit, offset };
    }
    case 'stats':
      return { what };
    case 'forget':
      return {
        what,
        which: whichOf(words),
        removeBackups: flags.backups === true,
        dryRun: flags.dryRun === true,
        yes: flags.yes === true,
        waitMs: parseDuration('--wait', flags.wait ?? WAIT),
      };
    case 'export':
      return { what, to: flags.to === undefined ? undefined : resolve(flags.to) };
    case 'import':
      return { what, file: resolve(first), dryRun: flags.dryRun === true };
  }
}

function requireFitting(what: KgAction, words: readonly string[], flags: KgFlags): void {
  const { words: counts, flags: taken } = TAKES[what];
  const [least, most] = counts;
  if (words.length < least || words.length > most) {
    const wanted = least === most ? String(least) : `${least} or ${most}`;
    throw new UserError('usage', `kg ${what} takes ${wanted} words, not ${words.length}`, {
      hint: 'quotes make one of several: mempalace kg add "the shop" rounds "half up"',
    });
  }
  for (const flag of OWN_FLAGS) {
    if (flags[flag] === undefined || taken.includes(flag)) continue;
    const shown = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UserError('usage', `--${shown} is not for kg ${what}`);
  }
}

/** An id, or its beginning; else the words of the fact. */
function whichOf([first = '', predicate, object]: readonly string[]): { id: string } | { words: FactWords } {
  if (predicate === undefined && /^fact_[0-9a-f]{8,24}$/.test(first)) return { id: first };
  if (predicate !== undefined && object !== undefined)
    return { words: { subject: first, predicate, object } };
  throw new UserError('usage', 'kg forget takes the id of a fact, or its subject, predicate and object', {
    hint: 'an id looks like fact_0123456789ab; mempalace kg query --json shows them',
  });
}

function confidenceOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new UserError('usage', `--confidence takes a number from 0 to 1, not "${text}"`);
}

function directionOf(text: string | undefined): Direction {
  const direction = DIRECTIONS.find((known) => known === (text ?? 'both'));
  if (direction !== undefined) return direction;
  throw new UserError('usage', `--direction takes one of ${DIRECTIONS.join(', ')}, not "${text}"`);
}
