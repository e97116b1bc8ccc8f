import { type Config, namesBroker } from '../../config/index.js';
import { plural } from '../../core/plural.js';
import { aside, waiting } from '../../hooks/queue.js';
import { type DoctorContext, type Found, ok, warn } from './context.js';

const SHOWN = 3;
const CURE = 'mempalace hook flush --retry tries them again, mempalace hook flush --drop forgets them';

const nextRun = (count: number): Found =>
  ok(`${plural(count, 'session')} noted; the next run of a hook files what waits`);

/** They are sent when the broker answers. */
const waitsFor = ({ broker: { use } }: Config, count: number): Found =>
  warn(
    `${plural(count, 'session')} ${count === 1 ? 'waits' : 'wait'} here for the palace at ${use}`,
    'the next hook sends them when it answers, or: mempalace hook flush',
  );

/** Sessions that hooks noted and that no run could file. Nothing where no hook was ever called. */
export function checkHooks({ palace, config }: DoctorContext): Found[] {
  const found = aside(palace);
  const count = waiting(palace);
  const noted =
    count === 0
      ? []
      : [config !== undefined && namesBroker(config) ? waitsFor(config, count) : nextRun(count)];
  if (found.length === 0) return noted;
  const names = found
    .slice(0, SHOWN)
    .map(({ harness, sessionId, reason }) => `${harness ?? 'unknown'} ${sessionId ?? 'unknown'} (${reason})`);
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : '';
  return [
    ...noted,
    warn(`${plural(found.length, 'session')} could not be filed: ${names.join(', ')}${more}`, CURE),
  ];
}
