import { useAnswer } from '../ask.js';
import { Choice } from '../parts/choice.js';
import { Link, toSource } from '../parts/link.js';
import { Pages } from '../parts/pages.js';
import { Shown } from '../parts/state.js';
import { goTo, type Place } from '../place.js';
import { counted, nameOf } from '../words.js';

const PAGE = 50;
const TYPES = ['document', 'conversation', 'diary', 'drawer'];

/** Wings, their rooms, and the sources in them. */
export function Browse({ place }: { place: Place }) {
  const { wing = '', room = '', type = '', offset = '0' } = place;
  const wings = useAnswer<'listWings'>('/list/wings');
  const rooms = useAnswer<'listRooms'>('/list/rooms', { wing });
  const sources = useAnswer<'listSources'>('/list/sources', { wing, room, type, offset, limit: PAGE });
  const set = (changes: Place): void => goTo({ view: 'browse', wing, room, type, ...changes });
  return (
    <>
      <h1>Sources</h1>
      <div class="chips">
        <Choice
          name="wing"
          value={wing}
          all={wings.answer?.wings.map((each) => each.wing) ?? []}
          onChoice={(wing) => set({ wing, room: '' })}
        />
        <Choice
          name="room"
          value={room}
          all={[...new Set(rooms.answer?.rooms.map((each) => each.room))].sort()}
          onChoice={(room) => set({ room })}
        />
        <Choice name="type" value={type} all={TYPES} onChoice={(type) => set({ type })} />
      </div>
      <Shown asked={sources}>
        {({ sources, total, offset }) => (
          <>
            <p class="quiet" role="status">
              {total === 0 ? 'There are no sources here.' : `${counted(total ?? 0, 'source')}, newest first`}
            </p>
            <ul class="rows">
              {sources.map((source) => (
                <li key={source.source_key}>
                  <Link to={toSource(source.source_key)} dir="auto">
                    {nameOf(source)}
                  </Link>
                  <span class="quiet" dir="auto">
                    {source.date} · {source.wing} / {source.room} · {counted(source.drawers, 'drawer')}
                    {source.pinned ? ' · pinned' : ''}
                  </span>
                </li>
              ))}
            </ul>
            <Pages
              offset={offset}
              limit={PAGE}
              total={total ?? 0}
              onPage={(offset) => set({ offset: String(offset) })}
            />
          </>
        )}
      </Shown>
    </>
  );
}
