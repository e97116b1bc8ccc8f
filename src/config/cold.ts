/** A wing, or one room of it. */
interface Place {
  wing: string;
  room?: string | undefined;
}

/**
 * The cold places that are left out: all but those that the query names.
 *
 * @param cold `wing` or `wing/room`
 */
export function leftOut(
  cold: readonly string[],
  named: { wing?: string | undefined; room?: string | undefined },
): Place[] {
  return cold.map(placeOf).filter(({ wing, room }) => {
    return wing !== named.wing || (room !== undefined && room !== named.room);
  });
}

function placeOf(place: string): Place {
  const [wing = '', room] = place.split('/');
  return { wing, room };
}
