import type Database from 'better-sqlite3';
import type { Scope } from '../../sanitiser/index.js';
import type { Group } from './group.js';
import { joinPieces } from './join.js';
import { textOf } from './rows.js';

export interface ImportedText {
  content: string;
  redacted: Record<string, number>;
  /** `<MemPalace's id>@<offset of its text>`. */
  aliases: string[];
  /** Drawers whose text is not included. */
  missing: { id: string; why: string }[];
}

/** Of a source, in UTF-16 units. Files of MemPalace are far smaller. */
const LONGEST = 128 * 1024 * 1024;
/** Shorter lines occur too often to locate a piece, in characters. */
const DISTINCTIVE_LINE = 12;

/** Joins a group's texts, then redacts: a secret may be cut between two drawers. */
export async function importedText(
  database: Database.Database,
  group: Group,
  scope: Scope,
): Promise<ImportedText> {
  const missing: ImportedText['missing'] = [];
  const pieces: { id: string; text: string }[] = [];
  let length = 0;
  for (const { id, row } of group.drawers) {
    const found = textOf(database, row);
    if ('why' in found) missing.push({ id, why: found.why });
    else if (length + found.text.length > LONGEST) missing.push({ id, why: 'source over 128 MB' });
    else {
      length += found.text.length;
      pieces.push({ id, text: found.text.replace(/\p{Surrogate}|\0/gu, '\ufffd') });
    }
  }
  const texts = pieces.map(({ text }) => text);
  const { text, starts } = joinPieces(texts, group.sliced);
  const { text: content, redacted } = await scope.clean(text);
  const places = content === text ? starts : placesIn(content, texts);
  const aliases = pieces.map(({ id }, index) => `${id}@${places[index] ?? 0}`);
  if (group.parent !== undefined) aliases.unshift(`${group.parent}@0`);
  return { content, redacted, aliases, missing };
}

/** Approximate offsets of the pieces in a redacted text. */
function placesIn(content: string, pieces: readonly string[]): number[] {
  let at = 0;
  return pieces.map((piece) => {
    const lines = piece.split('\n').filter((line) => line.trim().length >= DISTINCTIVE_LINE);
    for (const line of [piece, ...lines]) {
      const found = content.indexOf(line, at);
      if (found < 0) continue;
      at = found;
      break;
    }
    return at;
  });
}
