import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Answer, Documents, Parameters } from '../api.js';
import { type Asked, useAnswer } from '../ask.js';
import { type Place, useFollowing } from '../place.js';
import { Shown, Trouble } from './state.js';
import { Virtual } from './virtual.js';

/** Rows that are asked for, and leave the document, together. */
const PAGE = 20;

type Listed<Name extends keyof Documents> = Answer<Name> & { total: number | null };

interface Props<Name extends keyof Documents, Row> {
  name: string;
  class?: string;
  path: string;
  parameters: Parameters;
  /** The address of the view; its `offset` is the first row in view. */
  place: Place;
  /** Height of a row, pixels, about. */
  rowPx: number;
  rowsOf: (answer: Answer<Name>) => readonly Row[];
  keyOf: (row: Row) => string | number;
  /** What is before the list, with the number of its rows. */
  head?: (total: number) => ComponentChildren;
  children: (row: Row) => ComponentChildren;
}

/** A list of any length: rows come when they are scrolled to, and go when they are not in view any more. */
export function Rows<Name extends keyof Documents, Row>(props: Props<Name, Row>) {
  const { name, class: looks = 'rows', path, parameters, place, rowPx, head } = props;
  const list = JSON.stringify([path, parameters]);
  const began = useMemo(() => Math.floor(Number(place.offset ?? 0) / PAGE), [list]);
  const target = useMemo(
    () => (began === 0 ? undefined : { index: began, id: `rows-${began}`, block: 'start' as const }),
    [began],
  );
  // The first page that is shown says how many rows there are.
  const first = useAnswer<Name>(path, pageOf(parameters, began)) as Asked<Listed<Name>>;
  const follow = useFollowing();
  return (
    <Shown asked={first}>
      {({ total }) => (
        <>
          {head?.(total ?? 0)}
          {total !== null && total > 0 && (
            <Virtual
              key={list}
              role="list"
              name={name}
              class={looks}
              count={Math.ceil(total / PAGE)}
              whole={0}
              keyOf={(index) => index}
              heightOf={(index) => Math.min(PAGE, total - index * PAGE) * rowPx}
              target={target}
              onFirst={(index) => follow({ offset: index === 0 ? '' : String(index * PAGE) })}
            >
              {(index) => (
                <Page {...props} index={index} total={total} known={index === began ? first : undefined} />
              )}
            </Virtual>
          )}
        </>
      )}
    </Shown>
  );
}

const pageOf = (parameters: Parameters, index: number): Parameters => ({
  ...parameters,
  offset: index * PAGE,
  limit: PAGE,
});

interface PageProps<Name extends keyof Documents> {
  index: number;
  total: number;
  /** Its answer, if it was asked for already. */
  known: Asked<Answer<Name>> | undefined;
}

function Page<Name extends keyof Documents, Row>(props: Props<Name, Row> & PageProps<Name>) {
  const { path, parameters, rowPx, rowsOf, keyOf, index, total, known, children } = props;
  const asked = useAnswer<Name>(path, known === undefined ? pageOf(parameters, index) : null);
  const { answer, error } = known ?? asked;
  const count = Math.min(PAGE, total - index * PAGE);
  // Readers of the screen want rows as soon as there is a list.
  const row = (within: number) => ({
    role: 'listitem' as const,
    'aria-setsize': total,
    'aria-posinset': index * PAGE + within + 1,
  });
  if (error !== undefined) return <Trouble error={error} />;
  return (
    <div id={`rows-${index}`}>
      {answer === undefined ? (
        <div {...row(0)} style={{ height: `${count * rowPx}px` }} />
      ) : (
        rowsOf(answer).map((each, within) => (
          <div key={keyOf(each)} class="row" {...row(within)}>
            {children(each)}
          </div>
        ))
      )}
    </div>
  );
}
