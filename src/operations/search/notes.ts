/** Remarks on what a search found. */
import { coverageNote } from '../../core/coverage.js';
import { line } from '../../core/outside.js';
import { dashedWord, parseQuery } from '../../search/query.js';
import type { DrawerFilter } from '../../store/index.js';
import { absent } from '../known-names.js';
import type { Result } from './find.js';
import type { Found, Hit } from './found.js';

/** How a client searches more widely, in its own words. */
export interface Cures {
  /** Without preference for a project. */
  everywhere: string;
  cold: string;
}

interface Asked {
  filter: DrawerFilter;
  /** Hits before the first. */
  offset: number;
  minScore: number;
}

/**
 * Without the remark that only words were compared.
 *
 * @param rooms of the palace, for a search that finds nothing
 */
export function searchNotes(
  question: string,
  { hits, absent, coverage, preferred }: Pick<Result, 'hits' | 'absent' | 'coverage' | 'preferred'>,
  asked: Asked,
  { everywhere, cold }: Cures,
  rooms: () => Rooms,
): string[] {
  const partly = coverage && coverageNote(coverage);
  const isPreferring = hits.length > 0 && preferred.length > 0;
  return [
    ...(partly === undefined ? [] : [partly]),
    ...(isPreferring ? [`preferring this project (${preferred.map(line).join(', ')}); ${everywhere}`] : []),
    ...phrasesNotFound(absent),
    ...(hits.length === 0 ? nothingFound(question, asked, rooms(), cold) : weaklyFound(hits, asked, cold)),
  ];
}

/**
 * The best hit of a weak result has less strength than this. (Measured on documentation of four projects: 48 of 55
 * questions about other matters are weak, 3 of 150 questions that it answers, and none of its 130 headings.)
 */
const WEAK = 0.38;

/** True when no hit contains a word of the question, or the best is hardly a match. A hit by quoted symbols has no BM25. */
export function isWeak(hits: readonly Hit[]): boolean {
  if (hits.length === 0) return false;
  if (hits.some(({ scores, places }) => scores.bm25 === 0 && places.lexical !== undefined)) return false;
  return !isWorded(hits) || Math.max(...hits.map(({ strength }) => strength)) < WEAK;
}

function isWorded(hits: readonly Hit[]): boolean {
  return hits.some(({ passage }) => passage.some(({ scores }) => scores.bm25 > 0));
}

/**
 * Remarks about weak hits; none about others. On later pages, earlier hits may contain every word.
 *
 * @param coldCure how to search cold places
 */
export function weaklyFound(
  hits: readonly Hit[],
  { filter, offset }: Omit<Asked, 'minScore'>,
  coldCure: string,
): string[] {
  if (!isWeak(hits)) return [];
  const note =
    isWorded(hits) || offset > 0
      ? 'these passages match the question only weakly'
      : 'no passage contains these words; what follows is nearest in meaning';
  return [note, ...coldPlaces(filter, coldCure)];
}

/** The remark on a search that could not compare meanings. @param hinted says what the user can do, too */
export function wordsAlone({ trouble }: Pick<Found, 'trouble'>, hinted: boolean): string[] {
  if (trouble === undefined) return [];
  const hint = hinted && trouble.hint !== undefined ? ` (${trouble.hint})` : '';
  return [`found by words alone: ${trouble.text}${hint}`];
}

/** The remark on a search whose phrases are `absent`; none if there are no such phrases. */
export function phrasesNotFound(absent: readonly string[]): string[] {
  if (absent.length === 0) return [];
  const quoted = absent.map((phrase) => `"${line(phrase)}"`).join(' and ');
  return [`nothing found that contains ${quoted} exactly; the words of the question were searched instead`];
}

/** The remark on a question with `-word`, which excludes nothing; none about others. */
export function dashedWords(question: string): string[] {
  const word = dashedWord(question);
  return word === undefined
    ? []
    : [`-${word} is searched as a word; --not ${word} leaves out passages with it`];
}

type Rooms = readonly { wing: string; room: string }[];

const NAMED = [
  'wing',
  'room',
  'since',
  'until',
  'source',
  'session',
  'directory',
  'file',
  'type',
  'priority',
] as const;

/**
 * Remarks about an empty result: the search, its filters, and possible mistakes in them.
 *
 * @param coldCure how to search cold places
 */
export function nothingFound(
  question: string,
  { filter, offset, minScore }: Asked,
  rooms: Rooms,
  coldCure: string,
): string[] {
  const limits = NAMED.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`${name} ${line(value)}`];
  });
  for (const { wing } of filter.projects ?? []) limits.push(`this project, ${line(wing)}`);
  if (minScore > 0) limits.push(`score at least ${minScore}`);
  if (offset > 0) limits.push(`after the first ${offset}`);
  const where = limits.length === 0 ? '' : ` (${limits.join(', ')})`;
  return [
    `nothing found for "${line(question)}"${where}`,
    ...(parseQuery(question).meaning === '' ? ['the query contains no search terms'] : []),
    ...unknownRoom(filter, rooms),
    ...coldPlaces(filter, coldCure),
  ];
}

/** An unknown wing or type is an error (`known-names.ts`). */
function unknownRoom(filter: DrawerFilter, rooms: Rooms): string[] {
  const inside = filter.wing === undefined ? rooms : rooms.filter(({ wing }) => wing === filter.wing);
  const names = new Set(inside.map(({ room }) => room));
  if (filter.room === undefined || names.has(filter.room)) return [];
  const where = filter.wing === undefined ? 'in this palace' : `in ${line(filter.wing)}`;
  return [absent('room', filter.room, [...names], where)];
}

function coldPlaces({ without = [] }: DrawerFilter, cure: string): string[] {
  const cold = without.map(({ wing, room }) => (room === undefined ? wing : `${wing}/${room}`));
  return cold.length === 0 ? [] : [`left out as cold: ${cold.map(line).join(', ')}; ${cure}`];
}
