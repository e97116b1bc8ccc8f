import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Choice, Words } from '../parts/choice.js';
import { Link, toSource } from '../parts/link.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted } from '../words.js';

const PAGE = 20;
const KINDS = ['error', 'fix', 'decision', 'preference', 'architecture'];

type Pattern = Answer<'patterns'>['patterns'][number];

/** What recurs: errors with their fixes, and what was written more than once. */
export function Patterns({ place }: { place: Place }) {
  const { kind = '', file = '', offset = '0' } = place;
  const found = useAnswer<'patterns'>('/patterns', { kind, file, offset, limit: PAGE });
  const set = (changes: Place): void => goTo({ view: 'patterns', kind, file, ...changes });
  return (
    <>
      <h1>Patterns</h1>
      <div class="chips">
        <Choice name="kind" value={kind} all={KINDS} onChoice={(kind) => set({ kind })} />
        <Words name="file" value={file} onChoice={(file) => set({ file })} />
      </div>
      <Shown asked={found}>
        {({ patterns, total, unread }) => (
          <>
            <p class="quiet" role="status">
              {total === 0 ? 'Nothing recurs.' : `${counted(total, 'pattern')}, most often first`}
              {unread > 0 && ` ${counted(unread, 'session')} not looked through yet.`}
            </p>
            {patterns.map((pattern) => (
              <Recurring key={`${pattern.kind} ${pattern.tool} ${pattern.text}`} pattern={pattern} />
            ))}
            <Pages
              offset={Number(offset)}
              limit={PAGE}
              total={total}
              onPage={(offset) => set({ offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function Recurring({ pattern }: { pattern: Pattern }) {
  const { kind, tool, text, count, occurrences } = pattern;
  const times = kind === 'error' || kind === 'fix' ? counted(count, 'session') : counted(count, 'time');
  return (
    <article class="entry">
      <h2>
        {kind} · {times}
      </h2>
      <pre class="message" dir="auto">
        {tool === null ? text : `${tool}: ${text}`}
      </pre>
      <ul class="rows">
        {occurrences.map((occurrence) => (
          <Occurrence key={`${occurrence.source} ${occurrence.drawer_id}`} occurrence={occurrence} />
        ))}
      </ul>
      {count > occurrences.length && <p class="quiet">{counted(count - occurrences.length, 'more')}</p>}
    </article>
  );
}

function Occurrence({ occurrence }: { occurrence: Pattern['occurrences'][number] }) {
  const { drawer_id, day, source, command, file, fix } = occurrence;
  return (
    <li>
      {drawer_id === null && source.startsWith('fact_') ? (
        <span>a fact of {day}</span>
      ) : (
        <Link to={toSource(drawer_id ?? source)}>{day}</Link>
      )}
      {(command ?? file) !== null && (
        <span class="quiet" dir="auto">
          {command ?? file}
        </span>
      )}
      {fix !== null && (
        <span dir="auto">
          ✓ <Link to={toSource(fix.drawer_id)}>fixed</Link>
          {fix.edits.length > 0 && `: ${fix.edits.join(', ')}`}
        </span>
      )}
    </li>
  );
}
