import { useEffect, useState } from 'preact/hooks';
import type { documents } from '../src/presentation/documents/index.js';
import { type Answer, get, type Parameters, post } from './api.js';

export interface Asked<T> {
  /** The last answer, also while the next one is awaited. */
  answer: T | undefined;
  error: unknown;
  waiting: boolean;
}

const CHANGED = 'palace-changed';

/** What is asked again when others change the palace. Searches are not: uses of drawers are counted. */
const LIVE = /^\/(?:status|list|kg|conflicts|diary|task|checkpoint|metabolism)/;

/** Views ask again: the palace has changed. */
export function askAgain(by: 'user' | 'others' = 'user'): void {
  dispatchEvent(new CustomEvent(CHANGED, { detail: by }));
}

/** Asks whenever path or parameters change, and when the palace does; null: not at all. */
export function useAnswer<Name extends keyof typeof documents>(
  path: string,
  parameters: Parameters | null = {},
): Asked<Answer<Name>> {
  return useAsked(parameters && [path, parameters], ([path, parameters], signal) =>
    get<Name>(path, parameters, signal),
  );
}

/** The same for a question that is sent by POST. */
export function usePosted<Name extends keyof typeof documents>(
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
  const [times, setTimes] = useState(0);
  const path = asked?.[0];
  const question = asked === null ? undefined : JSON.stringify(asked);
  useEffect(() => {
    const again = (event: Event): void => {
      const isByOthers = event instanceof CustomEvent && event.detail === 'others';
      if (!isByOthers || (path !== undefined && LIVE.test(path))) setTimes((times) => times + 1);
    };
    addEventListener(CHANGED, again);
    return () => removeEventListener(CHANGED, again);
  }, [path]);
  useEffect(() => {
    if (question === undefined) return setState({ answer: undefined, error: undefined, waiting: false });
    const asking = new AbortController();
    setState(({ answer }) => ({ answer, error: undefined, waiting: true }));
    ask(JSON.parse(question), asking.signal).then(
      (answer) => !asking.signal.aborted && setState({ answer, error: undefined, waiting: false }),
      (error) => !asking.signal.aborted && setState({ answer: undefined, error, waiting: false }),
    );
    return () => asking.abort();
  }, [question, times]);
  return state;
}
