import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Documents } from './api.js';
import { type Answer, get, type Parameters, post } from './api.js';
import { useHeard } from './heard.js';

export interface Asked<T> {
  /** The last answer, also while the next one is awaited. */
  answer: T | undefined;
  error: unknown;
  waiting: boolean;
}

const CHANGED = 'palace-changed';

/** What is asked again when others change the palace. Searches are not: uses of drawers are counted. */
const LIVE = /^\/(?:status|list|kg|conflicts|diary|task|checkpoint|metabolism)/;

const ANSWERED = 'palace-answered';
let isAnswered = false;

function answered(): void {
  isAnswered = true;
  dispatchEvent(new Event(ANSWERED));
}

/** Whether something was answered: what is shown beside a view does not delay it. */
export const useAnswered = (): boolean => useHeard(() => isAnswered, ANSWERED);

/** Views ask again: the palace has changed. */
export function askAgain(by: 'user' | 'others' = 'user'): void {
  dispatchEvent(new CustomEvent(CHANGED, { detail: by }));
}

/** Asks whenever path or parameters change, and when the palace does; null: not at all. */
export function useAnswer<Name extends keyof Documents>(
  path: string,
  parameters: Parameters | null = {},
): Asked<Answer<Name>> {
  return useAsked(parameters && [path, parameters], ([path, parameters], signal) =>
    get<Name>(path, parameters, signal),
  );
}

/** The same for a question that is sent by POST. */
export function usePosted<Name extends keyof Documents>(
  path: string,
  body: Parameters | null,
): Asked<Answer<Name>> {
  return useAsked(body && [path, body], ([path, body]) => post<Name>(path, body));
}

/** A late answer to an earlier question is dropped. */
function useAsked<T>(
  asked: [path: string, parameters: Parameters] | null,
  ask: (asked: [path: string, parameters: Parameters], signal: AbortSignal) => Promise<T>,
): Asked<T> {
  const [state, setState] = useState<Asked<T>>({ answer: undefined, error: undefined, waiting: true });
  const question = asked === null ? undefined : JSON.stringify(asked);
  const times = useChanges(asked?.[0]);
  // Before the browser paints: other effects wait for a frame.
  useLayoutEffect(() => {
    if (question === undefined) return setState({ answer: undefined, error: undefined, waiting: false });
    const asking = new AbortController();
    setState((state) =>
      state.waiting && state.error === undefined ? state : { ...state, error: undefined, waiting: true },
    );
    ask(JSON.parse(question), asking.signal)
      .then(
        (answer) => !asking.signal.aborted && setState({ answer, error: undefined, waiting: false }),
        (error) => !asking.signal.aborted && setState({ answer: undefined, error, waiting: false }),
      )
      .finally(answered);
    return () => asking.abort();
  }, [question, times]);
  return state;
}

/** How often the palace has changed, so that what is asked there is asked again. */
function useChanges(path: string | undefined): number {
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const again = (event: Event): void => {
      const isByOthers = event instanceof CustomEvent && event.detail === 'others';
      if (!isByOthers || (path !== undefined && LIVE.test(path))) setTimes((times) => times + 1);
    };
    addEventListener(CHANGED, again);
    return () => removeEventListener(CHANGED, again);
  }, [path]);
  return times;
}

interface Pages<T> {
  /** The question that the pages answer: the last one with a page. */
  of: string | undefined;
  /** By their numbers, from 0. */
  pages: ReadonlyMap<number, T>;
  error: unknown;
  waiting: boolean;
}

export interface AskedPages<T> extends Pages<T> {
  /** To be called for each page that is in view, and again whenever it is another function. */
  want: (page: number) => void;
}

/** A cheaper question for the first page; without enough rows, the real one follows after a pause. */
interface Hurry<T> {
  parameters: Parameters;
  isEnough: (answer: T) => boolean;
  pauseMs: number;
}

interface PagesOf<T> {
  limit: number;
  /** The page that is asked for at once. */
  first: number;
  hurry?: Hurry<T> | undefined;
}

/**
 * Asks for the pages of a list as they are wanted; null: not at all. The pages of a former question stay until one of the
 * next is there.
 */
export function usePages<Name extends keyof Documents>(
  path: string,
  parameters: Parameters | null,
  { limit, first, hurry }: PagesOf<Answer<Name>>,
): AskedPages<Answer<Name>> {
  const question = parameters === null ? undefined : JSON.stringify([path, parameters, first]);
  const times = useChanges(path);
  const [state, setState] = useState<Pages<Answer<Name>>>(() => nothing(question !== undefined));
  const ask = useRef((_page: number): void => {});
  useLayoutEffect(() => {
    if (question === undefined) return setState(nothing(false));
    const asking = new AbortController();
    const { signal } = asking;
    const asked = new Set<number>();
    const show = (page: number, answer: Answer<Name>, waiting: boolean): void =>
      setState(({ of, pages }) => ({
        of: question,
        pages: new Map([...(of === question ? pages : []), [page, answer]]),
        error: undefined,
        waiting,
      }));
    const askFor = async (page: number): Promise<void> => {
      const wanted = { ...parameters, offset: page * limit, limit };
      if (hurry !== undefined && page === first && state.of !== question) {
        const quick = await get<Name>(path, { ...wanted, ...hurry.parameters }, signal);
        const isEnough = hurry.isEnough(quick);
        show(page, quick, !isEnough);
        if (isEnough) return;
        await new Promise((resolve) => setTimeout(resolve, hurry.pauseMs));
        signal.throwIfAborted();
      }
      show(page, await get<Name>(path, wanted, signal), false);
    };
    ask.current = (page) => {
      if (asked.has(page)) return;
      asked.add(page);
      askFor(page)
        .catch((error) => !signal.aborted && setState({ ...nothing(false), error }))
        .finally(answered);
    };
    if (state.of !== question || state.waiting) {
      setState((state) => ({ ...state, error: undefined, waiting: true }));
      ask.current(first);
    }
    return () => asking.abort();
  }, [question, times]);
  const { of } = state;
  const asked = useRef(question);
  asked.current = question;
  const want = useCallback(
    (page: number): void => {
      if (of === asked.current) ask.current(page);
    },
    [of, times],
  );
  return { ...state, want };
}

const nothing = (waiting: boolean) => ({ of: undefined, pages: new Map(), error: undefined, waiting });
