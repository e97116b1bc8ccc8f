import { BAR, NOTICE } from '../../../core/outside.js';
import { conflictsDocument } from '../../../presentation/conflicts.js';
import { withService } from '../../app/open-service.js';
import type { CommandContext } from '../../app/runner.js';
import { line } from '../../terminal/terminal.js';

/** `mempalace conflicts`. */
export function runConflicts(context: CommandContext): Promise<void> {
  const { terminal } = context;
  return withService(context, async (service, call) => {
    const found = await service.conflicts({}, call);
    terminal.json(conflictsDocument(found, new Date()));
    const { conflicts } = found;
    if (terminal.options.json) return;
    terminal.note(conflicts.length === 0 ? 'no facts contradict each other' : `conflicts (${NOTICE})`);
    for (const { subject, predicate, facts } of conflicts) {
      terminal.data(BAR + terminal.style('bold', line(`${subject} ${predicate}`)));
      for (const { tripleId, object, validFrom } of facts) {
        const since = validFrom === null ? '' : `  since ${validFrom}`;
        terminal.data(`  ${terminal.style('dim', tripleId)}  ${BAR}${line(object)}${since}`);
      }
    }
    if (conflicts.length > 0)
      terminal.note('mempalace kg resolve <id> <id> --keep <id> --because <reason> decides between two');
  });
}
