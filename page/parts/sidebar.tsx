import { useEffect } from 'preact/hooks';
import { useAnswer, useAnswered } from '../ask.js';
import { ALL_VIEWS, GROUPS, type ViewName } from '../views.js';
import { Link } from './link.js';

const USED = 'mempalace-used-views';

/** The views by groups, those with nothing in them below *More*. */
export function Sidebar({ current, onPalette }: { current: ViewName | undefined; onPalette: () => void }) {
  const used = useUsed();
  const isShown = (name: ViewName): boolean =>
    name === current || used.has(name) || !ALL_VIEWS.find(([view]) => view === name)?.[1].mayBeEmpty;
  const item = ([name, { title }]: (typeof ALL_VIEWS)[number]) => (
    <li key={name}>
      <Link to={{ view: name }} aria-current={name === current ? 'page' : undefined}>
        {title}
      </Link>
    </li>
  );
  const empty = ALL_VIEWS.filter(([name]) => !isShown(name));
  return (
    <nav aria-label="Views">
      <button type="button" class="go" aria-keyshortcuts="Control+K Meta+K" onClick={onPalette}>
        Go to… <kbd>Ctrl K</kbd>
      </button>
      {GROUPS.map((group) => (
        <section key={group} aria-labelledby={`views-${group}`}>
          <h2 id={`views-${group}`}>{group}</h2>
          <ul>{ALL_VIEWS.filter(([name, view]) => view.group === group && isShown(name)).map(item)}</ul>
        </section>
      ))}
      {empty.length > 0 && (
        <details>
          <summary>More</summary>
          <ul>{empty.map(item)}</ul>
        </details>
      )}
    </nav>
  );
}

/** Views with something in them: as they were known to be, until that is asked. */
function useUsed(): ReadonlySet<string> {
  // After the view.
  const [all, one] = useAnswered() ? [{}, { limit: 1 }] : [null, null];
  const counts = {
    facts: useAnswer<'kgStats'>('/kg/stats', all).answer?.current_facts,
    tasks: useAnswer<'taskList'>('/task/list', one && { ...one, all: true }).answer?.total,
    diary: useAnswer<'diaryRead'>('/diary', one).answer?.total,
    checkpoints: useAnswer<'checkpointList'>('/checkpoint/list', one).answer?.total,
    collections: useAnswer<'collectionList'>('/collection/list', all).answer?.collections.length,
  };
  const before = (localStorage.getItem(USED) ?? '').split(' ');
  const used = Object.entries(counts).flatMap(([name, count]) =>
    (count === undefined ? before.includes(name) : count > 0) ? [name] : [],
  );
  const known = used.join(' ');
  useEffect(() => localStorage.setItem(USED, known), [known]);
  return new Set(used);
}
