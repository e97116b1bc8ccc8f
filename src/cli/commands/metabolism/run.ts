import { UserError } from '../../../core/errors.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import { plural } from '../../../core/plural.js';
import {
  DOES,
  LEAST_COUNTED_DAYS,
  metabolismDocument,
  type ProposalOf,
  proposalJson,
} from '../../../presentation/metabolism.js';
import type { Output } from '../../../service/contract/index.js';
import { line } from '../../../terminal/terminal.js';
import { canAsk, confirm } from '../../app/confirm.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import { type MetabolismFlags, metabolismConfig } from './config.js';

type Report = Output<'metabolism'>;

/** `mempalace metabolism`. */
export async function runMetabolism(context: CommandContext, flags: MetabolismFlags): Promise<void> {
  const { terminal, config } = context;
  const { input, apply, interactive, ...how } = metabolismConfig(flags, config.search.cold, Date.now());
  if (interactive && !canAsk(terminal))
    throw new UserError('usage', '--interactive needs a terminal', {
      hint: 'mempalace metabolism --apply <id> does one step',
    });
  const report = await withService(context, (service, call) => service.metabolism(input, call));
  if (apply !== undefined) {
    const proposal = report.proposals.find(({ id }) => id === apply);
    if (proposal === undefined) throw noProposal(apply);
    return done(proposal, report, how, context);
  }
  if (interactive) {
    for (const proposal of report.proposals) {
      terminal.data(lineOf(proposal));
      if (await confirm(`${DOES[proposal.step]}?`, false, context))
        await done(proposal, report, how, context);
    }
    if (report.proposals.length === 0) terminal.note('nothing to propose');
    return;
  }
  const { proposals } = report;
  terminal.json(metabolismDocument(report));
  if (terminal.options.json) return;
  for (const note of notesOn(report, input.countedBefore, config.uses)) terminal.note(note);
  if (proposals.length === 0) return terminal.note('nothing to propose');
  terminal.note(`proposals (${NOTICE})`);
  for (const proposal of proposals) terminal.data(lineOf(proposal));
  terminal.note('one step: mempalace metabolism --apply <id>');
}

async function done(
  proposal: ProposalOf,
  { reflectionWings }: Report,
  how: Pick<MetabolismFlags, 'as' | 'into'>,
  context: CommandContext,
): Promise<void> {
  const { applied } = await import('./apply.js');
  const { file, text } = await applied(proposal, { ...how, reflectionWings }, context);
  const { terminal } = context;
  terminal.json({ command: 'mempalace metabolism', applied: proposalJson(proposal), file });
  terminal.say(text);
}

function notesOn({ since, used }: Report, countedBefore: string, uses: string): string[] {
  if (uses === 'off') return ['uses are not counted: the setting `uses` is off'];
  if (since === null) return ['no uses were counted yet'];
  const short = `so nothing is called unused: that takes ${LEAST_COUNTED_DAYS} days`;
  return [`used since ${since}: ${plural(used, 'drawer')}${since > countedBefore ? `, ${short}` : ''}`];
}

/** Words from outside follow the bar. */
function lineOf({ id, step, output, found, opened, days, day, wing, room, title }: ProposalOf): string {
  const uses =
    found + opened === 0 ? `unused, of ${day}` : `found ${found}, opened ${opened}, on ${days} days`;
  const place = title === null ? `${wing}/${room}` : `${wing}/${room}: ${title}`;
  return `${id}  ${output === null ? DOES[step] : `${DOES[step]} (${output})`}; ${uses} ${BAR}${line(place)}`;
}

function noProposal(id: string): UserError {
  return new UserError('not-found', `there is no proposal ${JSON.stringify(id)}`, {
    hint: 'mempalace metabolism lists them; with other --least-uses or --old-days there are others',
  });
}
