/**
 * In the page: types one text, and waits until its hits are in the document.
 *
 * @returns milliseconds from the key to the hits (`all`), of the answer of the server to the last search of it (`server`), and of
 *   a request to the same server that asks for no palace (`nothing`)
 */
export const TYPED = `async (text) => {
  const input = document.querySelector('search input[type=search]');
  const main = document.querySelector('main');
  performance.clearResourceTimings();
  const began = performance.now();
  let asked = false;
  const shown = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const busy = main.querySelector(':scope > [aria-busy]')?.getAttribute('aria-busy');
      if (busy === 'true') asked = true;
      if (asked && busy === 'false') { observer.disconnect(); resolve(performance.now() - began); }
    });
    observer.observe(main, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  input.value = text;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  const all = await shown;
  // The browser notes a request a moment after its answer was read.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const last = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/search')).at(-1);
  const before = performance.now();
  const headers = { 'x-mempalace-key': localStorage.getItem('mempalace-key') ?? '' };
  await (await fetch('/api/v1/projects', { headers })).text();
  return { all, server: last.responseEnd - last.startTime, nothing: performance.now() - before };
}`;
