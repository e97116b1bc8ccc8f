import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { enter } from './api.js';
import { isCommand, isForPage, useKey } from './keyboard.js';
import { listen } from './live.js';
import { Keys } from './parts/keys.js';
import { Link } from './parts/link.js';
import { Palette } from './parts/palette.js';
import { Sidebar } from './parts/sidebar.js';
import { Toast } from './parts/toast.js';
import { goTo, type Place, usePlace } from './place.js';
import { Source } from './views/source.js';
import { VIEWS, viewOf } from './views.js';

const PAGE = 'Memory palace';

/** A tab is named as its view is: by the first heading. */
function useTabName(main: { current: HTMLElement | null }): void {
  useEffect(() => {
    if (main.current === null) return;
    const name = (): void => {
      const heading = main.current?.querySelector('h1')?.textContent?.trim() ?? '';
      const title = heading === '' ? PAGE : `${heading} – ${PAGE}`;
      if (document.title !== title) document.title = title;
    };
    name();
    const watching = new MutationObserver(name);
    watching.observe(main.current, { childList: true, characterData: true, subtree: true });
    return () => watching.disconnect();
  }, []);
}

function Unknown({ place: { view = '' } }: { place: Place }) {
  return (
    <>
      <h1>There is no such view</h1>
      <p dir="auto">
        The address asks for the view “{view}”. <Link to={{ view: 'home' }}>Home</Link> and the list of views
        lead on.
      </p>
    </>
  );
}

function Page() {
  const place = usePlace();
  const name = viewOf(place);
  const View = name === undefined ? Unknown : name === 'source' ? Source : VIEWS[name].view;
  const main = useRef<HTMLElement>(null);
  const before = useRef(name);
  const [open, setOpen] = useState<'palette' | 'keys' | undefined>(undefined);
  useTabName(main);
  useEffect(() => {
    // A reader of the screen goes on with the new view, unless that has chosen a field.
    const isChosen = main.current?.contains(document.activeElement) === true;
    if (before.current !== name && !isChosen) main.current?.focus();
    before.current = name;
    // On a narrow screen the views are one row that is scrolled.
    const current = document.querySelector<HTMLElement>('nav [aria-current]');
    const row = current?.closest('nav');
    if (current && row) row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }, [name]);
  useKey((event) => {
    if (isCommand(event, 'k')) setOpen('palette');
    else if (!isForPage(event)) return;
    else if (event.key === '?') setOpen('keys');
    else if (event.key === '/') {
      const field = document.querySelector<HTMLInputElement>('search input');
      if (field === null) goTo({ view: 'search' });
      field?.select();
    } else return;
    event.preventDefault();
  });
  const close = (): void => setOpen(undefined);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header>
        <p class="brand">{PAGE}</p>
        <Sidebar current={name === 'source' ? 'sources' : name} onPalette={() => setOpen('palette')} />
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <View place={place} />
      </main>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'keys' && <Keys onClose={close} />}
      <Toast />
    </>
  );
}

enter();
render(<Page />, document.body);
void listen();
