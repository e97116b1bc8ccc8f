import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Field } from '../parts/field.js';
import { Link, toSource } from '../parts/link.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted, nameOf } from '../words.js';

const PAGE = 20;

type Found = Answer<'file'>;

/** What read, changed or spoke of a file. */
export function Files({ place }: { place: Place }) {
  const { file = '', offset = '0' } = place;
  const found = useAnswer<'file'>('/file', file === '' ? null : { file, offset, limit: PAGE });
  return (
    <>
      <h1>Files</h1>
      <Field
        name="A path, or the end of one"
        value={file}
        onValue={(file) => goTo({ view: 'files', file })}
      />
      {file === '' && (
        <p class="quiet">Which sessions read or changed a file, and which documents speak of it.</p>
      )}
      <Shown asked={found}>
        {(found) => (
          <>
            <p class="quiet" role="status">
              {found.total === 0
                ? 'Nothing read, changed or spoke of it'
                : `${counted(found.total, 'source')}, newest first`}
              {found.unread > 0 && `; ${counted(found.unread, 'session')} not looked through yet`}
            </p>
            <Paths paths={found.paths} />
            {found.sources.map((source) => (
              <Uses key={source.source_key} source={source} />
            ))}
            <Pages
              offset={Number(offset)}
              limit={PAGE}
              total={found.total}
              onPage={(offset) => goTo({ view: 'files', file, offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function Paths({ paths }: { paths: Found['paths'] }) {
  if (paths.length < 2) return null;
  return (
    <ul class="rows">
      {paths.map((path) => (
        <li key={path}>
          <Link to={{ view: 'files', file: path }} dir="auto">
            {path}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Uses({ source }: { source: Found['sources'][number] }) {
  const { source_key, wing, day, uses, uses_total } = source;
  return (
    <article class="entry">
      <h2>
        <Link to={toSource(source_key)} dir="auto">
          {nameOf(source)}
        </Link>
      </h2>
      <p class="quiet" dir="auto">
        {day} · {wing}
      </p>
      <ul class="rows">
        {uses.map(({ action, path, former, drawer_id, line_start }) => (
          <li key={`${drawer_id} ${action} ${path}`}>
            <Link to={toSource(source_key, line_start)}>
              {action}, line {line_start}
            </Link>
            <span class="quiet" dir="auto">
              {former === null ? path : `${former} → ${path}`}
            </span>
          </li>
        ))}
      </ul>
      {uses_total > uses.length && <p class="quiet">{counted(uses_total - uses.length, 'more passage')}</p>}
    </article>
  );
}
