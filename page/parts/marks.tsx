import { type Answer, post } from '../api.js';
import { Link } from './link.js';
import { making } from './toast.js';

type Marked = Answer<'set'>;
type Change = { pinned: boolean } | { priority: 'high' | 'medium' | 'low' | 'none' };

const PRIORITIES = ['high', 'medium', 'low'] as const;

/** Pins or ranks a source or a drawer; it can be undone. */
function mark(name: string, title: string, change: Change): void {
  void making(async () => {
    const done = [await post<'set'>('/set', { name, ...change })];
    const [{ kind, pinned, source_key } = done[0] as Marked] = done;
    // A passage is also pinned with its source.
    if ('pinned' in change && !change.pinned && pinned && kind === 'drawer')
      done.push(await post<'set'>('/set', { name: source_key, ...change }));
    return {
      text: `${title}: ${wordsOf(change)}`,
      undo: () => Promise.all(done.map((each) => post<'set'>('/set', formerOf(each, change)))),
    };
  });
}

function wordsOf(change: Change): string {
  if ('pinned' in change) return change.pinned ? 'pinned' : 'not pinned any more';
  return change.priority === 'none' ? 'its own priority' : `priority ${change.priority}`;
}

function formerOf(
  { drawer_id, source_key, former_pinned, former_priority }: Marked,
  change: Change,
): Record<string, unknown> {
  const name = drawer_id ?? source_key;
  return 'pinned' in change ? { name, pinned: former_pinned } : { name, priority: former_priority ?? 'none' };
}

interface Props {
  /** What a priority is set for, if not for `name`. */
  ranked?: string;
  /** Key of a source, or id of a drawer. */
  name: string;
  title: string;
  pinned?: boolean | undefined;
  priority: string | null | undefined;
  /** What a link leads to forget. */
  source: string;
}

/** What can be done with a source or a passage. */
export function Marks({ name, ranked = name, title, pinned, priority, source }: Props) {
  return (
    <p class="marks">
      {pinned !== undefined && (
        <button type="button" aria-pressed={pinned} onClick={() => mark(name, title, { pinned: !pinned })}>
          {pinned ? 'Unpin' : 'Pin'}
        </button>
      )}
      <label class="chip">
        <span>priority</span>
        <select
          value={priority ?? 'none'}
          onChange={(event) => {
            const { value } = event.currentTarget;
            mark(ranked, title, { priority: PRIORITIES.find((each) => each === value) ?? 'none' });
          }}
        >
          {[...PRIORITIES, 'none'].map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <Link to={{ view: 'forget', source }}>Forget…</Link>
    </p>
  );
}
