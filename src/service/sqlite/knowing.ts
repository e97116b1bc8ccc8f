import { lineIn } from '../../checkpoint/text.js';
import { parseSourceKey } from '../../core/source-key.js';
import { patternsIn } from '../../knowledge/patterns/index.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

export function patterns(palace: Palace, input: Input<'patterns'>): Output<'patterns'> {
  return { ...patternsIn(palace, input), unread: palace.activity.countUnderived() };
}

export function checkpoints(
  palace: Palace,
  { name, directories, within: wing, ...page }: Input<'checkpoints'>,
): Output<'checkpoints'> {
  return palace.snapshot(() => {
    const { rows, total } = palace.checkpoints.entries({ name, directories, wing }, page);
    const shown = rows.map(({ id, sourceKey: checkpointId, title, wing, directory, atMs }) => {
      const { owner: session } = parseSourceKey(checkpointId);
      const timestamp = new Date(atMs).toISOString();
      const content = palace.sources.textOf(id);
      const line = lineIn(content) ?? null;
      return { checkpointId, session, title, wing, directory, timestamp, line, content };
    });
    return { checkpoints: shown, total };
  });
}
