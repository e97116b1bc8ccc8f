/** A stretch `[start, end)` of a text, in UTF-16 code units, and its replacement. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** @param edits disjoint, in order */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text: instead } of edits) {
    parts.push(text.slice(from, start), instead);
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Ascending places after lists of edits. A place inside a replaced stretch moves to the end of the replacement. */
export function movedPlaces(places: readonly number[], steps: readonly (readonly Edit[])[]): number[] {
  let moved = [...places];
  for (const edits of steps) {
    let next = 0;
    let shift = 0;
    moved = moved.map((place) => {
      for (let edit = edits[next]; edit !== undefined && edit.end <= place; edit = edits[next]) {
        shift += edit.text.length - (edit.end - edit.start);
        next += 1;
      }
      const edit = edits[next];
      if (edit === undefined || place <= edit.start) return place + shift;
      return edit.start + shift + edit.text.length;
    });
  }
  return moved;
}
