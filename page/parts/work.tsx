import { dayOf } from '../../src/core/day.js';
import { groupBy } from '../../src/core/group-by.js';
import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { counted, dayName, lastPart, timeOf } from '../words.js';
import { Link, toSource } from './link.js';
import { Shown } from './state.js';

type Session = Answer<'listWork'>['work'][number];

/** Sessions of the last week that are shown, and of an earlier time, where the week has none. */
const MOST = 40;
const EARLIER = 8;
const FILES = 4;
const OPEN = 3;
const TASKS = 5;

/** What sessions did in the last week, by day and project. */
export function Work({ tasks }: { tasks: Answer<'status'>['tasks'] }) {
  const week = useAnswer<'listWork'>('/list/work', { limit: MOST });
  const isQuiet = week.answer?.total === 0;
  const earlier = useAnswer<'listWork'>(
    '/list/work',
    isQuiet ? { since: '1970-01-01', limit: EARLIER } : null,
  );
  return (
    <>
      <Shown asked={week}>
        {({ work: sessions, total }) => (
          <>
            <Days sessions={sessions} />
            {total !== null && total > sessions.length && (
              <p class="quiet">
                <Link to={ALL}>{`All ${counted(total, 'session')} of the week, and earlier ones`}</Link>
              </p>
            )}
          </>
        )}
      </Shown>
      {isQuiet && (
        <Shown asked={earlier}>
          {({ work: sessions }) =>
            sessions.length === 0 ? (
              <p class="quiet">No session is filed yet.</p>
            ) : (
              <>
                <p class="quiet">No session in the last week. The last ones:</p>
                <Days sessions={sessions} />
              </>
            )
          }
        </Shown>
      )}
      {tasks !== undefined && <Tasks />}
    </>
  );
}

const ALL = { view: 'sources', type: 'conversation' };

function Days({ sessions }: { sessions: readonly Session[] }) {
  const today = dayOf(new Date());
  return [...groupBy(sessions, ({ day }) => day)].map(([day, ofDay]) => (
    <section key={day} class="day" aria-labelledby={`day-${day}`}>
      <h2 id={`day-${day}`}>{dayName(day, today)}</h2>
      {[...groupBy(ofDay, projectOf)].map(([project, inProject]) => (
        <div key={project} class="project">
          <h3 dir="auto" title={project}>
            {lastPart(project)}
          </h3>
          <ul>
            {inProject.map((session) => (
              <Done key={session.source_key} session={session} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  ));
}

/** The folder of the session, where it is in one: rooms of sessions are named after it. */
const projectOf = ({ directory, room }: Session): string => directory ?? room;

function Done({ session }: { session: Session }) {
  const { source_key, title, question, day, last, files, files_total, commits, open } = session;
  const name = title ?? question ?? source_key;
  const isSameDay = dayOf(new Date(last)) === day;
  const more = files_total - Math.min(files.length, FILES);
  return (
    <li>
      <p class="what">
        <Link to={toSource(source_key)} dir="auto">
          {name}
        </Link>
        {isSameDay && <time dateTime={last}>{timeOf(last)}</time>}
      </p>
      {title !== null && question !== null && !isNamed(question, title) && (
        <p class="quiet asked" dir="auto">
          {question}
        </p>
      )}
      {commits.map(({ hash, subject }) => (
        <p key={hash} class="commit" dir="auto">
          <code title="commit">{hash}</code> {subject}
        </p>
      ))}
      {open.slice(0, OPEN).map((item) => (
        <p key={item} class="open" dir="auto">
          <span class="unseen">not done: </span>
          {item}
        </p>
      ))}
      {open.length > OPEN && <p class="open">{counted(open.length - OPEN, 'more open item')}</p>}
      {files.length > 0 && (
        <p class="quiet changed">
          {files.slice(0, FILES).map(({ path, action }) => (
            <Link key={path} to={{ view: 'files', file: path }} title={`${action}: ${path}`} dir="auto">
              {lastPart(path)}
            </Link>
          ))}
          {more > 0 && <span>+{more}</span>}
        </p>
      )}
    </li>
  );
}

/** Titles may be the first question, cut. */
function isNamed(question: string, title: string): boolean {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
  const [asked, named] = [plain(question), plain(title).replace(/…$/, '').trimEnd()];
  return asked.startsWith(named) || named.startsWith(asked);
}

/** What agents leave to each other. */
function Tasks() {
  const { answer } = useAnswer<'taskList'>('/task/list', { limit: TASKS });
  if (answer === undefined || answer.tasks.length === 0) return null;
  const { tasks, total } = answer;
  return (
    <section class="day" aria-labelledby="open-tasks">
      <h2 id="open-tasks">Open tasks</h2>
      <ul class="tasks">
        {tasks.map(({ id, text, agent, taken_by }) => (
          <li key={id}>
            <span dir="auto">{text}</span>
            <span class="quiet" dir="auto">
              {taken_by !== null ? ` taken by ${taken_by}` : agent !== null && ` for ${agent}`}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet">
        <Link to={{ view: 'tasks' }}>{total > tasks.length ? `All ${total} tasks` : 'Tasks'}</Link>
      </p>
    </section>
  );
}
