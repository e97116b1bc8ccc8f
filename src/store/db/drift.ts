import { UserError } from '../../core/errors.js';
import { plural } from '../../core/plural.js';
import type { LexicalIndex } from '../index/lexical.js';
import type { Vectors } from '../index/vectors.js';
import { countDrawers } from '../tables/listing.js';
import type { Warning } from './ownership.js';
import type { Sql } from './sql.js';

/** Number of checked vectors, evenly spread, including the last one. */
const SAMPLED = 16;

/**
 * A quick check whether drawers, lexical entries, vectors and codes agree, as they are written in one transaction. Takes
 * a millisecond for any size, as it uses stored counts and a sample of vectors; `checkPalace` counts the rows.
 */
export function driftOf(sql: Sql, parts: { lexical: LexicalIndex; vectors: Vectors }): Warning | undefined {
  const found = signs(sql, parts);
  if (found === undefined) return undefined;
  return { text: `the palace's indexes and rows disagree: ${found}`, hint: 'mempalace repair' };
}

function signs(
  sql: Sql,
  { lexical, vectors }: { lexical: LexicalIndex; vectors: Vectors },
): string | undefined {
  try {
    const drawers = countDrawers(sql);
    const entries = lexical.size();
    if (entries !== drawers)
      return `${plural(drawers, 'drawer')}, ${plural(entries, 'lexical entry', 'lexical entries')}`;
    const broken = vectors.brokenOf(SAMPLED);
    if (broken > 0)
      return `${broken} of ${SAMPLED} vectors looked at are not unit vectors of the model's dimension`;
    return vectors.codes.coverLastVector() ? undefined : 'vectors without a code';
  } catch (error) {
    // A command that needs the damaged part reports details; the others continue.
    if (error instanceof UserError && error.code === 'palace-damaged') return 'an index cannot be read';
    throw error;
  }
}
