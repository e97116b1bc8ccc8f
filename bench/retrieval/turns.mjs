/**
 * The dialog turns that a hit shows. Neither the transcript's rendering nor the cuts between drawers are known
 * here: the staged text of each turn is searched in the drawer's text, without regard to white space. A turn that was
 * cut in two is found in both drawers by its parts.
 */

/** Shorter pieces of a turn at a drawer's edge are ignored: two turns may begin or end alike. */
const LEAST_PIECE = 16;

/**
 * The turns that a hit shows, in the order in which they count. Where a hit shows neighbouring drawers with its
 * own as one passage, they have no hit of their own, so their turns count here: first those that meet the hit's
 * `focus`, when it has one, then those of its own drawer, then those of the others, the best drawer's first.
 *
 * @param {object} hit as `mempalace search --json` prints it; lines are those of the source, from 1
 * @param {{ id: string, text: string }[]} turns of the hit's session
 * @returns {string[]} their ids
 */
export function turnsOf(hit, turns) {
  const { passage, focus } = hit;
  const others = (passage?.drawers ?? [])
    .filter((drawer) => drawer.drawer_id !== hit.drawer_id)
    .toSorted((a, b) => b.score - a.score);
  const order = [...(focus ? [focus] : []), hit, ...others];
  const shown = passage ?? hit;
  return places(shown.text, turns)
    .map(({ id, first, last }) => {
      const [from, to] = [shown.line_start + first, shown.line_start + last];
      const at = order.findIndex(({ line_start, line_end }) => from <= line_end && to >= line_start);
      return { id, at: at === -1 ? order.length : at };
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

/** Each turn with its lines in the text, counted from 0. */
function places(text, turns) {
  const { squeezed, lines } = squeeze(text);
  const taken = [];
  const free = (start, end) => taken.every((other) => end <= other.start || start >= other.end);
  // Longest first: a short turn may be part of a longer one.
  const wanted = turns.map(({ id, text: said }) => ({ id, said: squeeze(said).squeezed }));
  const waiting = [];
  for (const turn of wanted.toSorted((a, b) => b.said.length - a.said.length)) {
    let start = squeezed.indexOf(turn.said);
    while (start !== -1 && !free(start, start + turn.said.length))
      start = squeezed.indexOf(turn.said, start + 1);
    if (start === -1) waiting.push(turn);
    else taken.push({ id: turn.id, start, end: start + turn.said.length });
  }
  for (const { id, said } of waiting) {
    const piece = pieceOf(squeezed, said);
    if (piece !== undefined && free(piece.start, piece.end)) taken.push({ id, ...piece });
  }
  return taken
    .sort((a, b) => a.start - b.start)
    .map(({ id, start, end }) => ({ id, first: lines[start], last: lines[end - 1] }));
}

/** The position of a part of a turn in a drawer: its end, its beginning, or the middle. */
function pieceOf(text, said) {
  if (text.length >= LEAST_PIECE && said.includes(text)) return { start: 0, end: text.length };
  for (let size = Math.min(text.length, said.length) - 1; size >= LEAST_PIECE; size -= 1) {
    if (text.startsWith(said.slice(-size))) return { start: 0, end: size };
    if (text.endsWith(said.slice(0, size))) return { start: text.length - size, end: text.length };
  }
  return undefined;
}

/** Text with single spaces, trimmed; and the line, from 0, of each character. */
function squeeze(text) {
  let squeezed = '';
  const lines = [];
  let line = 0;
  let gap = false;
  for (const char of text) {
    if (/\s/.test(char)) {
      gap = squeezed !== '';
    } else {
      if (gap) lines.push(line);
      squeezed += gap ? ` ${char}` : char;
      for (let unit = 0; unit < char.length; unit += 1) lines.push(line);
      gap = false;
    }
    if (char === '\n') line += 1;
  }
  return { squeezed, lines };
}
