import { UserError } from '../core/errors.js';
import type { ForgetRequest, Forgettable } from '../core/forgotten.js';
import { sha256 } from '../core/hash.js';
import { buildSourceKey, DERIVED_KINDS } from '../core/source-key.js';
import type { Fact, FiledSource, Palace, Tombstone } from '../store/index.js';
import { type ErasedBackup, planBackups } from './forget.js';

export interface Meant {
  sources: FiledSource[];
  tombstones: Tombstone[];
}

const CANDIDATES = 8;
const ID_DIGITS = 16;

/**
 * The sources and tombstones that the user named, with what repeats their sessions. A `source` is a source key, a
 * `source_file`, an origin, a path, or the end of exactly one `source_file`, from a slash on.
 *
 * @throws UserError `usage` when several end like that
 */
export function findMeant(palace: Palace, what: Forgettable): Meant {
  const { sources, tombstones } = findNamed(palace, what);
  const repeating = sources.flatMap(({ sourceKey: owner }) =>
    DERIVED_KINDS.flatMap((kind) => palace.sources.below(buildSourceKey({ kind, owner, name: '' }))),
  );
  return {
    sources: [...new Map([...sources, ...repeating].map((each) => [each.id, each])).values()],
    tombstones,
  };
}

function findNamed(palace: Palace, what: Forgettable): Meant {
  const { source, paths = [] } = what;
  if (source === undefined) {
    const which = selectorOf(what);
    return { sources: palace.forgetting.sources(which), tombstones: palace.forgetting.tombstones(which) };
  }
  const names = [source, ...paths];
  const tombstones = names.flatMap((name) => palace.forgetting.named(name));
  for (const name of names) {
    const sources = palace.reading.sourcesNamed(name);
    if (sources.length > 0) return { sources, tombstones };
  }
  const tail = source.replace(/^(?:\.?\/)+/, '');
  const ending =
    tail === '' || tombstones.length > 0 ? [] : palace.reading.sourcesEndingWith(tail, CANDIDATES + 1);
  if (ending.length > 1) {
    const files = ending.slice(0, CANDIDATES).map(({ sourceFile }) => sourceFile);
    throw new UserError('usage', `several sources end with ${JSON.stringify(source)}`, {
      hint: `one of ${files.join(', ')}${ending.length > CANDIDATES ? ', …' : ''}`,
    });
  }
  return { sources: ending, tombstones };
}

function selectorOf({ session, wing, run = 0 }: Forgettable) {
  if (session !== undefined) return { by: 'session' as const, value: session };
  return wing === undefined ? { by: 'run' as const, value: run } : { by: 'wing' as const, value: wing };
}

export function namesOf(sources: readonly FiledSource[]) {
  return sources.map(
    ({ sourceKey: source_key, sourceFile: source_file, origin, wing, room, title, drawers }) => {
      return { source_key, source_file, origin, wing, room, title, drawers };
    },
  );
}

export interface ForgetPreview extends Meant {
  /** Of exactly this: with the same id, the same would be erased. */
  id: string;
  facts: Pick<Fact, 'subject' | 'predicate' | 'object'>[];
  /** Sources that stay and contain some of the same passages, white space aside. */
  copies: { source_key: string; source_file: string; title: string | null; drawers: number }[];
  /** Names of collections to which the user added drawers of these sources. */
  collections: string[];
  backups: ErasedBackup[];
}

/**
 * @param removeBackups as for `forget`
 * @throws UserError as `findMeant` does, and when a backup cannot be read now but may be intact
 */
export function previewForgetting(palace: Palace, what: Forgettable, removeBackups: boolean): ForgetPreview {
  const { facts, ...meant } = palace.snapshot(() => {
    const meant = findMeant(palace, what);
    const ids = meant.sources.map(({ id }) => id);
    return {
      ...meant,
      facts: factsOf(palace, meant.sources),
      copies: palace.forgetting.copies(ids),
      collections: palace.forgetting.collections(ids),
    };
  });
  const { sources, tombstones } = meant;
  const traces = [...sources, ...tombstones];
  const backups = traces.length === 0 ? [] : [...planBackups(palace.folder, traces, removeBackups)];
  const erased = [
    sources.map(({ sourceKey, hash }) => [sourceKey, hash]).sort(),
    tombstones.map(({ sourceKey }) => sourceKey).sort(),
    facts.map(({ triple_id }) => triple_id).sort(),
    meant.collections,
    // A backup from which the sources are erased stays.
    backups.flatMap(({ file, outcome }) => (outcome === 'removed' ? [file] : [])).sort(),
  ];
  return {
    id: sha256(JSON.stringify(erased)).slice(0, ID_DIGITS),
    ...meant,
    facts: facts.map(({ subject, predicate, object }) => ({ subject, predicate, object })),
    backups,
  };
}

/** Facts that were taken from sources, and those that are forgotten and remain. */
function factsOf(palace: Palace, sources: readonly FiledSource[]): Fact[] {
  const ids = palace.facts.ofForgotten(sources.map(({ sourceKey }) => sourceKey));
  return ids.flatMap((id) => palace.facts.byId(id) ?? []);
}

/**
 * What a request means now. To be called under the run lock.
 *
 * @throws UserError `changed` when something else would be erased than the preview showed; as `findMeant` does
 */
export function meantNow(palace: Palace, { preview, backups, ...what }: ForgetRequest): Meant {
  if (preview === undefined) return findMeant(palace, what);
  const now = previewForgetting(palace, what, backups);
  if (now.id !== preview) throw changedSincePreview();
  return now;
}

export function changedSincePreview(): UserError {
  return new UserError(
    'changed',
    'the palace has changed since the preview: something else would be erased',
    {
      hint: 'make another preview',
    },
  );
}
