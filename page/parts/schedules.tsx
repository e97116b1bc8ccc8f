import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { minute } from '../words.js';
import { Shown } from './state.js';

type Schedule = Answer<'scheduleStatus'>['schedules'][number];

/** When the feeders run by themselves. */
export function Schedules() {
  const found = useAnswer<'scheduleStatus'>('/schedule');
  return (
    <section aria-labelledby="schedules">
      <h2 id="schedules">Schedules</h2>
      <Shown asked={found}>
        {({ schedules }) => <Installed schedules={schedules.filter(({ installed }) => installed)} />}
      </Shown>
    </section>
  );
}

function Installed({ schedules }: { schedules: readonly Schedule[] }) {
  if (schedules.length === 0)
    return (
      <p class="quiet">
        Nothing is scheduled. <code>mempalace schedule install</code> runs the feeders every week.
      </p>
    );
  return (
    <ul class="rows">
      {schedules.map(({ scheduler, command, active, next, last, result, problems }) => (
        <li key={scheduler + command}>
          <strong>{command}</strong>{' '}
          <span class="quiet">
            {[
              scheduler,
              active === false ? 'not active' : `next run ${next === null ? 'unknown' : minute(next)}`,
              last !== null && `last started ${minute(last)}`,
              result,
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
          {problems.map((problem) => (
            <p key={problem} class="trouble" dir="auto">
              {problem}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}
