import { type Answer, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { type Happenings, useLive } from '../live.js';
import { counted, number } from '../words.js';
import { making } from './toast.js';

interface Start {
  /** Undefined: sessions of all agents. */
  project: string | undefined;
  start: () => void;
}

/** What can be filed now. */
export const startsOf = (projects: Answer<'projects'>['projects'] = []): Start[] => [
  { project: undefined, start: () => run('/run/session', {}, 'new and grown sessions') },
  ...projects
    .filter(({ there }) => there)
    .map(({ dir }) => ({ project: dir, start: () => run('/run/docs', { project: dir }, dir) })),
];

const run = (path: string, body: Record<string, string>, name: string): void =>
  void making(async () => {
    await post<never>(path, body);
    return { text: `Started: ${name}`, undo: undefined };
  });

/** Starts a feeder, and shows how far it is. */
export function Feeders() {
  const projects = useAnswer<'projects'>('/projects');
  const [progress, ended] = [useLive('progress'), useLive('ended')];
  const isRunning = progress !== undefined && progress.run !== ended?.run;
  return (
    <section aria-labelledby="start">
      <h2 id="start">File now</h2>
      <p class="chips">
        {startsOf(projects.answer?.projects).map(({ project, start }) => (
          <button key={project} type="button" dir="auto" disabled={isRunning} onClick={start}>
            {project ?? 'Sessions of your agents'}
          </button>
        ))}
      </p>
      {projects.answer?.projects.length === 0 && (
        <p class="quiet">
          <code>mempalace projects add &lt;folder&gt;</code> puts a project here.
        </p>
      )}
      <div role="status">
        {isRunning ? <Running progress={progress} /> : ended !== undefined && <Ended ended={ended} />}
      </div>
    </section>
  );
}

function Running({ progress: { command, step, done, total, note } }: { progress: Happenings['progress'] }) {
  return (
    <p dir="auto">
      {command}: {step}{' '}
      <progress aria-label={step} max={total || undefined} value={total ? done : undefined} />{' '}
      <span class="quiet">{note}</span>
    </p>
  );
}

function Ended({ ended: { command, ok, counts = {}, error } }: { ended: Happenings['ended'] }) {
  if (!ok)
    return (
      <p class="trouble" dir="auto">
        {command}: {error?.message} {error?.hint}
      </p>
    );
  const { new: added = 0, changed = 0, removed = 0, drawers_added: drawers = 0 } = counts;
  return (
    <p dir="auto">
      {command}: {number(added)} new, {number(changed)} changed, {number(removed)} removed;{' '}
      {counted(drawers, 'drawer')} added
    </p>
  );
}
