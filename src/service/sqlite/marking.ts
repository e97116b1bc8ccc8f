import { UserError } from '../../core/errors.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { findTarget } from '../../reading/find.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { write } from '../palace/writer.js';

export function mark(
  resources: Resources,
  { name, paths, within, ...change }: Input<'mark'>,
  call: ServiceCall,
): Promise<Output<'mark'>> {
  return write(resources, call, async (palace, run) =>
    palace.transaction(() => {
      const target = findTarget(palace, name, paths, within);
      const { kind } = target;
      const facts = kind === 'drawer' ? target.drawer : target.source;
      const isTold = change.pinned === true || change.priority === 'high';
      if (isTold && isOfKind(facts.sourceKey, KEY_KIND.summary))
        throw new UserError('usage', 'a summary by a model can neither be pinned nor have a high priority', {
          hint: 'wake-up would quote it: choose a passage of its session instead',
        });
      const row = [kind === 'drawer' ? 'drawers' : 'sources', facts.id] as const;
      const former = palace.priorities.of(...row);
      palace.priorities.set(...row, change);
      palace.runs.add(run, { exitCode: 0, counts: { marked: 1 }, skipped: [] });
      const marks = palace.priorities.of(...row);
      return {
        kind,
        drawerId: kind === 'drawer' ? target.drawer.drawerId : null,
        sourceKey: facts.sourceKey,
        sourceFile: facts.sourceFile,
        title: facts.title === '' ? null : facts.title,
        priority: marks?.priority ?? null,
        setPriority: marks?.setPriority ?? null,
        pinned: marks?.pinned ?? false,
        setPinned: marks?.setPinned ?? false,
        formerPriority: former?.setPriority ?? null,
        formerPinned: former?.setPinned ?? false,
      };
    }),
  );
}
