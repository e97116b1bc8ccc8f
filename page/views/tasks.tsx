import { useState } from 'preact/hooks';
import { type Answer, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { Words } from '../parts/choice.js';
import { sending } from '../parts/field.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { making } from '../parts/toast.js';
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
      <Add />
      <div class="chips">
        <label class={show === 'all' ? 'chip chosen' : 'chip'}>
          <input
            type="checkbox"
            checked={show === 'all'}
            onChange={(event) => goTo({ view: 'tasks', show: event.currentTarget.checked ? 'all' : '' })}
          />
          <span>done ones too</span>
        </label>
      </div>
      <Shown asked={found}>
        {({ tasks, total, offset }) => (
          <>
            {tasks.length === 0 && <p class="quiet">There is nothing to do. Agents add tasks, too.</p>}
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

/** A further task, for any agent or for one. */
function Add() {
  const [text, setText] = useState('');
  const [agent, setAgent] = useState('');
  const add = (): void =>
    void making(async () => {
      const wanted = { text: text.trim(), ...(agent !== '' && { for: agent }) };
      const { task } = await post<'taskAdd'>('/task/add', wanted);
      setText('');
      return { text: `Task ${task?.id} added`, undo: undefined };
    });
  return (
    <form class="chips" onSubmit={sending(add)}>
      <input
        required
        aria-label="What is to be done"
        placeholder="What is to be done…"
        dir="auto"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Words name="only for" value={agent} onChoice={setAgent} />
      <button type="submit" disabled={text.trim() === ''}>
        Add
      </button>
    </form>
  );
}

/** Who takes a task that is for any agent. */
const USER = 'user';

function Acts({ task: { id, text, state, agent, taken_by } }: { task: Task }) {
  const [result, setResult] = useState('');
  const act = (what: string, path: string, body: Record<string, unknown>, undo?: () => Promise<unknown>) =>
    void making(async () => {
      await post<'taskDone'>(path, { id, ...body });
      return { text: `Task ${id} ${what}`, undo };
    });
  const again = (): Promise<unknown> => post<'taskAdd'>('/task/add', { text, ...(agent && { for: agent }) });
  const done = result.trim() === '' ? {} : { result: result.trim() };
  return (
    <p class="marks">
      {state === 'open' && (
        <button type="button" onClick={() => act('taken', '/task/take', { agent: agent ?? USER })}>
          Take
        </button>
      )}
      {state !== 'done' && (
        <>
          <input
            aria-label={`What came of task ${id}`}
            placeholder="what came of it"
            dir="auto"
            value={result}
            onInput={(event) => setResult(event.currentTarget.value)}
          />
          <button
            type="button"
            onClick={() => act('done', '/task/done', { ...done, ...(taken_by && { agent: taken_by }) })}
          >
            Done
          </button>
        </>
      )}
      <button
        type="button"
        onClick={() => act('dropped', '/task/drop', {}, state === 'open' ? again : undefined)}
      >
        Drop
      </button>
    </p>
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
        {` · no. ${id} · by ${added_by}, ${minute(added_at)}${agent === null ? '' : ` · for ${agent}`}`}
      </span>
      <Acts task={task} />
    </li>
  );
}

function stateOf({ state, taken_by, taken_at, done_by, done_at }: Task): string {
  const [by, at] = state === 'done' ? [done_by, done_at] : [taken_by, taken_at];
  if (state === 'open') return 'open';
  return [state, ...(by === null ? [] : [`by ${by}`]), ...(at === null ? [] : [minute(at)])].join(' ');
}
