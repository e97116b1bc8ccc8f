import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { enter } from './api.js';
import { listen } from './live.js';
import { Link } from './parts/link.js';
import { Toast } from './parts/toast.js';
import { goTo, type Place, usePlace } from './place.js';
import { Checkpoints } from './views/checkpoints.js';
import { Collections } from './views/collections.js';
import { Diary } from './views/diary.js';
import { Facts } from './views/facts.js';
import { Files } from './views/files.js';
import { Forget } from './views/forget.js';
import { Health } from './views/health.js';
import { Home } from './views/home.js';
import { Patterns } from './views/patterns.js';
import { Search } from './views/search.js';
import { Source } from './views/source.js';
import { Sources } from './views/sources.js';
import { Suggestions } from './views/suggestions.js';
import { Tasks } from './views/tasks.js';
import { WakeUp } from './views/wake-up.js';

const VIEWS = {
  home: { title: 'Home', view: Home },
  search: { title: 'Search', view: Search },
  sources: { title: 'Sources', view: Sources },
  files: { title: 'Files', view: Files },
  'wake-up': { title: 'Wake-up', view: WakeUp },
  facts: { title: 'Facts', view: Facts },
  patterns: { title: 'Patterns', view: Patterns },
  collections: { title: 'Collections', view: Collections },
  checkpoints: { title: 'Checkpoints', view: Checkpoints },
  diary: { title: 'Diary', view: Diary },
  tasks: { title: 'Tasks', view: Tasks },
  suggestions: { title: 'Suggestions', view: Suggestions },
  health: { title: 'Health', view: Health },
  forget: { title: 'Forget', view: Forget },
};

type ViewName = keyof typeof VIEWS;

/** Names that links had before. */
const FORMER: Readonly<Record<string, ViewName>> = {
  browse: 'sources',
  told: 'wake-up',
  proposals: 'suggestions',
};

const isView = (name: string): name is ViewName => Object.hasOwn(VIEWS, name);

/** A source without a name is all sources. */
function viewOf({ view = 'home', name = '' }: Place): ViewName | 'source' {
  if (view === 'source') return name === '' ? 'sources' : 'source';
  return isView(view) ? view : (FORMER[view] ?? 'home');
}

function Page() {
  const place = usePlace();
  const name = viewOf(place);
  const { title, view: View } = name === 'source' ? { title: 'Source', view: Source } : VIEWS[name];
  const main = useRef<HTMLElement>(null);
  const before = useRef(name);
  useEffect(() => {
    document.title = `${title} – Memory palace`;
    // A reader of the screen goes on with the new view, unless that has chosen a field.
    const isChosen = main.current?.contains(document.activeElement) === true;
    if (before.current !== name && !isChosen) main.current?.focus();
    before.current = name;
    // On a narrow screen the views are one row that is scrolled.
    const current = document.querySelector<HTMLElement>('nav [aria-current]');
    const row = current?.closest('ul');
    if (current && row) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }, [title, name]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      const field = document.querySelector<HTMLInputElement>('search input');
      if (field === null) goTo({ view: 'search' });
      field?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header>
        <p class="brand">Memory palace</p>
        <nav aria-label="Views">
          <ul>
            {Object.entries(VIEWS).map(([view, { title }]) => (
              <li key={view}>
                <Link to={{ view }} aria-current={view === name ? 'page' : undefined}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <View place={place} />
      </main>
      <Toast />
    </>
  );
}

enter();
render(<Page />, document.body);
void listen();
