import { cut, QUARTERS, quartersOf } from '../../core/tokens.js';
import { headAt, type TurnMark, type TurnRole } from '../../core/turns.js';

/** The most of a turn, quarters of tokens. Results of tools are left out: the answers say what matters. */
const MOST: Record<TurnRole, number> = {
  user: 300 * QUARTERS,
  assistant: 200 * QUARTERS,
  call: 30 * QUARTERS,
  result: 0,
  note: 200 * QUARTERS,
};
/** Shares of the room: how the session began, how it ended, and the requests between. */
const HEAD = 0.25;
const TAIL = 0.45;
const GAP = '…';

/**
 * What a model is given of a session, at most `tokens`: its beginning, its end, and between them the requests of the user, the
 * newest first. Long turns are cut, and `…` is where turns are left out.
 *
 * @param turns undefined where the speakers are unknown: then the text is cut at empty lines
 */
export function digestOf(text: string, turns: readonly TurnMark[] | undefined, tokens: number): string {
  const parts = (turns ?? paragraphs(text)).flatMap(({ role, start }, at, all) => {
    const whole = text.slice(start, all[at + 1]?.start ?? text.length).trim();
    const shown = role === 'call' ? (whole.split('\n', 1)[0] ?? '') : whole;
    const words = cut(shown, MOST[role]);
    const isBare = words === '' || words === headAt(`${words}\n`, { role, start: 0 })?.trim();
    return isBare ? [] : [{ role, words, cost: quartersOf(words) + QUARTERS }];
  });
  const budget = tokens * QUARTERS;
  const taken = new Set<number>();
  let left = budget;
  const take = (indexes: Iterable<number>, until: number, skips: boolean): void => {
    for (const at of indexes) {
      const { cost } = parts[at] ?? { cost: 0 };
      if (taken.has(at)) continue;
      if (left - cost < until) {
        if (skips) continue;
        return;
      }
      taken.add(at);
      left -= cost;
    }
  };
  const forwards = [...parts.keys()];
  const backwards = [...forwards].reverse();
  take(forwards, budget * (1 - HEAD), false);
  take(backwards, budget * (1 - HEAD - TAIL), false);
  take(
    backwards.filter((at) => parts[at]?.role === 'user'),
    0,
    true,
  );
  take(backwards, 0, true);
  return forwards
    .flatMap((at) => (taken.has(at) ? (parts[at]?.words ?? []) : taken.has(at - 1) ? GAP : []))
    .join('\n\n');
}

function paragraphs(text: string): TurnMark[] {
  const starts = [0, ...[...text.matchAll(/\n[^\S\n]*\n/g)].map((gap) => gap.index + gap[0].length)];
  return starts.map((start) => ({ role: 'note', start }));
}
