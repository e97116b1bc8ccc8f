import type { Answer } from '../api.js';
import { minute } from '../words.js';
import { Link } from './link.js';

type Checkpoint = Answer<'checkpointList'>['checkpoints'][number];

/** A checkpoint in a list of those of several sessions. */
export function CheckpointLine({
  checkpoint: { checkpoint_id, title, timestamp, wing, directory },
}: {
  checkpoint: Checkpoint;
}) {
  return (
    <>
      <Link to={{ view: 'checkpoints', name: checkpoint_id }} dir="auto">
        {title}
      </Link>
      <span class="quiet" dir="auto">
        {[minute(timestamp), wing, directory].filter((part) => part !== null).join(' · ')}
      </span>
    </>
  );
}
