import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { minute } from '../words.js';

const PAGE = 50;

type Task = Answer<'taskList'>['tasks'][number];

/** What agents leave to each other. */
export function Tasks({ place }: { place: Place }) {
  const { show = '', offset = '0' } = place;
  const found = useAnswer<'taskList'>('/task/list', { all: show === 'all', offset, limit: PAGE });
  return (
    <>
      <h1>Tasks</h1>
      <div class="chips">
        <label class={show === 'all' ? 'chip chosen' : 'chip'}>
          <input
            type="checkbox"
            checked={show === 'all'}
            onChange={(event) => goTo({ view: 'tasks', show: event.currentTarget.checked ? 'all' : '' })}
          />
          <span>also done ones</span>
        </label>
      </div>
      <Shown asked={found}>
        {({ tasks, total, offset }) => (
          <>
            {tasks.length === 0 && (
              <p class="quiet">
                There is nothing to do. Agents add tasks, and <code>mempalace task add</code>.
              </p>
            )}
            <ul class="rows">
              {tasks.map((task) => (
                <Row key={task.id} task={task} />
              ))}
            </ul>
            <Pages
              offset={offset}
              limit={PAGE}
              total={total}
              onPage={(offset) => goTo({ view: 'tasks', show, offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function Row({ task }: { task: Task }) {
  const { id, text, result, agent, added_by, added_at } = task;
  return (
    <li>
      <span dir="auto">{text}</span>
      {result !== null && <span dir="auto">→ {result}</span>}
      <span class="quiet" dir="auto">
        <span class={`state ${task.state}`}>{stateOf(task)}</span>
        {` · ${id} · by ${added_by}, ${minute(added_at)}${agent === null ? '' : ` · for ${agent}`}`}
      </span>
    </li>
  );
}

function stateOf({ state, taken_by, taken_at, done_by, done_at }: Task): string {
  const [by, at] = state === 'done' ? [done_by, done_at] : [taken_by, taken_at];
  if (state === 'open') return 'open';
  return [state, ...(by === null ? [] : [`by ${by}`]), ...(at === null ? [] : [minute(at)])].join(' ');
}
