import { line, quotable } from '../../core/outside.js';
import type { Matcher } from '../../search/matches.js';
import type { Hit } from './found.js';

/** Length of a hit's text in the list of hits. */
const SNIPPET_CHARS = 100;

/** The fields of a hit in the list of hits. */
export function indexEntry({ drawer }: Hit, matcher: Matcher) {
  return {
    drawerId: drawer.drawerId,
    date: drawer.contentDate ?? drawer.day,
    wing: drawer.wing,
    room: drawer.room,
    title: drawer.title,
    snippet: snippet(drawer.text, matcher, SNIPPET_CHARS),
  };
}

/** A hit as one line for an agent: id, day, place, title, and the words around most matches. */
export function indexLine(hit: Hit, matcher: Matcher): string {
  const { drawerId, date, wing, room, title, snippet } = indexEntry(hit, matcher);
  const named = title === null || title === '' ? [] : [line(title)];
  return [`${drawerId} ${date} ${line(`${wing}/${room}`)}`, ...named, snippet].join(' | ');
}

/** At most `characters` of a text on one line, around most of its matches. */
export function snippet(text: string, matcher: Matcher, characters: number): string {
  const flat = quotable(text, true).replace(/\s+/gu, ' ').trim();
  const units = [...flat];
  if (units.length <= characters) return flat;
  const matches = matcher(flat);
  let best = { at: 0, terms: 0 };
  for (const [index, match] of matches.entries()) {
    const inside = matches.slice(index).filter((other) => other.end <= match.start + characters * 0.75);
    const terms = new Set(inside.map((other) => other.term)).size;
    if (terms > best.terms) best = { at: match.start, terms };
  }
  const lead = Math.max(0, [...flat.slice(0, best.at)].length - Math.floor(characters / 5));
  const from = Math.min(lead, units.length - characters);
  const space = from === 0 ? -1 : units.indexOf(' ', from);
  const start = from === 0 ? 0 : space !== -1 && space < from + characters / 5 ? space + 1 : from;
  const before = start > 0 ? '…' : '';
  const room = characters - before.length;
  const rest = units.slice(start, start + room);
  const cut = start + room < units.length;
  return before + (cut ? `${rest.slice(0, -1).join('').trimEnd()}…` : rest.join(''));
}
