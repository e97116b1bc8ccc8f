import type { Answer } from '../api.js';
import { useAnswer } from '../ask.js';
import { Choice, Type, Wing } from '../parts/choice.js';
import { Link, toSource } from '../parts/link.js';
import { Rows } from '../parts/rows.js';
import { goTo, type Place } from '../place.js';
import { counted, kindOfText, nameOf } from '../words.js';

/** Wings, their rooms, and the sources in them. */
export function Sources({ place }: { place: Place }) {
  const { wing = '', room = '', type = '' } = place;
  const rooms = useAnswer<'listRooms'>('/list/rooms', { wing });
  const set = (changes: Place): void => goTo({ view: 'sources', wing, room, type, ...changes });
  return (
    <>
      <h1>Sources</h1>
      <div class="chips">
        <Wing value={wing} onChoice={(wing) => set({ wing, room: '' })} />
        <Choice
          name="room"
          value={room}
          all={[...new Set(rooms.answer?.rooms.map((each) => each.room))].sort()}
          onChoice={(room) => set({ room })}
        />
        <Type value={type} onChoice={(type) => set({ type })} />
      </div>
      <Rows<'listSources', Answer<'listSources'>['sources'][number]>
        name="Sources"
        path="/list/sources"
        parameters={{ wing, room, type }}
        place={place}
        rowPx={58}
        rowsOf={({ sources }) => sources}
        keyOf={(source) => source.source_key}
        head={(total) => (
          <p class="quiet" role="status">
            {total === 0 ? 'There are no sources here.' : `${counted(total, 'source')}, newest first`}
          </p>
        )}
      >
        {(source) => (
          <>
            <Link to={toSource(source.source_key)} dir="auto">
              {nameOf(source)}
            </Link>
            <span class="quiet" dir="auto">
              {source.date} · {source.wing} / {source.room} · {counted(source.drawers, 'drawer')}
              {kindOfText(source)}
              {source.pinned ? ' · pinned' : ''}
            </span>
          </>
        )}
      </Rows>
    </>
  );
}
