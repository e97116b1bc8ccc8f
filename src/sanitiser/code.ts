/** A stretch of Markdown code, including its fences or backticks. */
export interface Code {
  start: number;
  end: number;
  /** A block between two fences, or inline code on one line. */
  fenced: boolean;
}

const FENCE = /^[ \t>]{0,32}(`{3,}|~{3,})([^\n]*)$/;
const TICKS = /`+/g;

/** The code in a text, in order: closed fenced blocks, and inline code outside of them. Linear. */
export function codeIn(text: string): Code[] {
  const codes: Code[] = [];
  let fence: { start: number; mark: string; inline: Code[] } | undefined;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, end);
    const [all, mark, rest = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence.mark) === true && /^\s*(?:<|$)/.test(rest)) {
        codes.push({ start: fence.start, end: end - rest.length, fenced: true });
        fence = undefined;
      } else {
        fence.inline.push(...ticksIn(line, start));
      }
    } else if (all !== undefined && mark !== undefined && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = { start, mark, inline: [] };
    } else {
      codes.push(...ticksIn(line, start));
    }
    start = end + 1;
  }
  // An unclosed fence does not count.
  if (fence !== undefined) codes.push(...fence.inline);
  return codes;
}

function ticksIn(line: string, offset: number): Code[] {
  const runs = Array.from(line.matchAll(TICKS), ({ 0: { length }, index }) => ({ index, length }));
  const partner = new Array<number>(runs.length);
  const latest = new Map<number, number>();
  for (let run = runs.length - 1; run >= 0; run -= 1) {
    const { length } = runs[run] ?? { length: 0 };
    partner[run] = latest.get(length) ?? -1;
    latest.set(length, run);
  }
  const codes: Code[] = [];
  for (let run = 0; run < runs.length; run += 1) {
    const other = partner[run] ?? -1;
    const [from, to] = [runs[run], runs[other]];
    if (from === undefined || to === undefined) continue;
    codes.push({ start: offset + from.index, end: offset + to.index + to.length, fenced: false });
    run = other;
  }
  return codes;
}
