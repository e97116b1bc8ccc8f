/** What sources are worth by their uses, as suggestions. */
import * as z from 'zod/mini';
import { UserError } from '../core/errors.js';
import { BAR, line, NOTICE } from '../core/outside.js';
import { plural } from '../core/plural.js';
import { OUTPUTS, STEPS, type Step } from '../core/suggestions.js';
import { dayBefore, LEAST_COUNTED_DAYS, type Proposal, proposalsIn } from '../suggestions/propose.js';
import { count, field, name, text } from './fields.js';
import { operation, procedure } from './operation.js';

const MOST_DAYS = 100_000;
const PASSAGE_CHARS = 2_000;
const WHOLE = 'uses are compared across the whole palace';

/** Words for what a suggestion would do. */
export const DOES: Record<Step, string> = {
  reflect: 'write about it in the reflection wing',
  constitution: 'tell it first',
  archive: 'move it into the archive',
  cold: 'leave the room out of searches',
};

export const proposal = z.strictObject({
  id: z.string(),
  step: z.enum(STEPS),
  output: z.nullable(z.enum(OUTPUTS)),
  wing: z.string(),
  room: z.string(),
  title: name,
  source_key: name,
  drawer_id: name,
  found: count,
  opened: count,
  days: count,
  date: z.string(),
});

const asked = () => ({
  least_uses: field(z._default(z.int().check(z.minimum(1)), 5), 'uses that count as often'),
  old_days: field(
    z._default(z.int().check(z.minimum(1)), 180),
    'days without new content that count as old',
    {
      most: MOST_DAYS,
    },
  ),
  cold: field(z._default(z.array(z.string()), []), '`wing` or `wing/room`', {
    hidden: true,
    usual: ({ config }) => config.search.cold,
  }),
  counts: field(z._default(z.boolean(), true), 'whether uses are counted', {
    hidden: true,
    usual: ({ config }) => config.uses === 'on',
  }),
});

const metabolism = operation({
  name: 'metabolism',
  summary: 'Suggest what to reflect on, and what to archive',
  reads: true,
  inWing: WHOLE,
  input: () => z.strictObject(asked()),
  output: () =>
    z.strictObject({
      command: z.literal('mempalace metabolism'),
      /** The first day with a use that is still known. */
      since: name,
      /** Drawers that were used. */
      used: count,
      proposals: z.array(proposal),
    }),
  run(asked, { handle, now }) {
    const { since, used, proposals } = proposalsIn(handle.get(), asked, now);
    return { command: 'mempalace metabolism' as const, since, used, proposals: proposals.map(shown) };
  },
  text({ since, used, proposals }, terminal, { counts }) {
    if (terminal.options.json) return;
    terminal.note(noteOn(since, used, counts));
    if (proposals.length === 0) return terminal.note('nothing to suggest');
    terminal.note(`suggestions (${NOTICE})`);
    for (const each of proposals) terminal.data(lineOf(each));
    terminal.note('one step: mempalace suggestions --apply <id>');
  },
  address: 'Suggestions: what to reflect on, pin or archive',
});

/** Asked by a program that does a step. */
export const step = procedure({
  name: 'metabolism step',
  reads: true,
  inWing: WHOLE,
  input: () => z.strictObject({ id: field(text(), 'of the suggestion'), ...asked() }),
  run({ id, ...asked }, { handle, now }) {
    const palace = handle.get();
    const { proposals, roots, wings } = proposalsIn(palace, asked, now);
    const found = proposals.find((each) => each.id === id);
    if (found === undefined)
      throw new UserError('not-found', `there is no suggestion ${JSON.stringify(id)}`, {
        hint: 'mempalace suggestions lists them; with other --least-uses or --old-days there are others',
      });
    const { drawer_id, project_id } = found;
    const passage = drawer_id === null ? null : palace.suggestions.passageOf(drawer_id, PASSAGE_CHARS);
    return {
      proposal: shown(found),
      passage: passage ?? null,
      root: roots.get(project_id ?? '') ?? null,
      wings,
    };
  },
});

const shown = ({ project_id: _, day: date, ...rest }: Proposal) => ({ ...rest, date });

function noteOn(since: string | null, used: number, counts: boolean): string {
  if (!counts) return 'uses are not counted: the setting `uses` is off';
  if (since === null) return 'no uses were counted yet';
  const short = since > dayBefore(LEAST_COUNTED_DAYS, new Date());
  const why = short ? `, so nothing is called unused: that takes ${LEAST_COUNTED_DAYS} days` : '';
  return `used since ${since}: ${plural(used, 'drawer')}${why}`;
}

/** Words from outside follow the bar. */
export function lineOf(shown: z.output<typeof proposal>): string {
  const { id, step, output, found, opened, days, date, wing, room, title } = shown;
  const uses =
    found + opened === 0 ? `unused, of ${date}` : `found ${found}, opened ${opened}, on ${days} days`;
  const place = title === null ? `${wing}/${room}` : `${wing}/${room}: ${title}`;
  return `${id}  ${output === null ? DOES[step] : `${DOES[step]} (${output})`}; ${uses} ${BAR}${line(place)}`;
}

export const suggestions = { metabolism };
