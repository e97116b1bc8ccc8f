/** The overview for an agent at the start of a session. Hooks ask for it without schemas. */
import { knownErrors } from '../../knowledge/patterns/errors.js';
import { type WakeUp, wakeUp as woken } from '../../reading/wake-up.js';
import type { RecurringError } from '../../reading/wake-up-text.js';
import { projectsAround } from '../../search/here.js';
import type { OwnFolders, Palace } from '../../store/index.js';
import type { Start } from './schema.js';

/** Lines about errors, at most. */
const MOST_ERRORS = 3;

interface Asked extends Start {
  wing?: string | undefined;
  /** The only wing: not even sessions in a folder of its projects, or errors of those, if they are filed elsewhere. */
  within?: string | undefined;
  /** As in the keys of its diary. */
  agent?: string | undefined;
}

/** With the wing it is from; without: the whole palace, or no project (`elsewhere`). */
interface Told extends WakeUp {
  wing?: string;
}

export function wakeUp(palace: Palace, asked: Asked): Told {
  return palace.snapshot(() => toldIn(palace, asked));
}

function toldIn(palace: Palace, { around, within, ...asked }: Asked): Told {
  if (within !== undefined) return inWing(palace, { ...asked, wing: within, strict: true }, []);
  const whole = (): Told => {
    const roots = palace.projects.all().filter(({ wing }) => wing === asked.wing);
    return inWing(
      palace,
      asked,
      roots.map(({ root }) => root),
    );
  };
  if (around === undefined) return whole();
  const projects = projectsAround(palace.projects.all(), around.locations);
  for (const { wing, folders } of projects) {
    const told = inWing(palace, { ...asked, wing, own: { folders: [], trees: folders } }, folders);
    if (told.holdings.length > 0) return told;
  }
  const trees = [...around.checkouts, ...projects.flatMap(({ folders }) => folders)];
  const own = { folders: [...around.folders], trees };
  const there = inWing(palace, { ...asked, wing: undefined, own }, [
    ...new Set([...around.folders, ...trees]),
  ]);
  // A palace without projects has nothing to keep apart.
  const isBare = there.elsewhere?.projects === 0 && there.sessions.length === 0;
  return isBare && around.or_all === true ? whole() : there;
}

/** @param folders whose errors are told */
function inWing(
  palace: Palace,
  {
    wing,
    without,
    strict = false,
    own,
    ...asked
  }: Omit<Asked, 'around' | 'within'> & { strict?: boolean; own?: OwnFolders },
  folders: readonly string[],
): Told {
  const { agent, before, identity, patterns, tokens, weights, half_life_days } = asked;
  const result = woken(palace, {
    ...{ agent, before, tokens, weights, halfLifeDays: half_life_days },
    // A cold wing that is asked for is told.
    place: {
      wing,
      strict,
      own,
      without: without.filter((cold) => cold.room !== undefined || cold.wing !== wing),
    },
    identity: identity?.text,
    errors: patterns ? errorsIn(palace, folders) : [],
    now: Date.now(),
  });
  return { ...result, ...(wing !== undefined && { wing }) };
}

function errorsIn(palace: Palace, folders: readonly string[]): RecurringError[] {
  const found = folders.flatMap((folder) => knownErrors(palace, folder, MOST_ERRORS));
  const rank = ({ fix, sessions }: RecurringError) => (fix === null ? 0 : 1e9) + sessions;
  return found.sort((one, other) => rank(other) - rank(one)).slice(0, MOST_ERRORS);
}
