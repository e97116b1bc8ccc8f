import { useEffect, useState } from 'preact/hooks';
import type { documents } from '../src/presentation/documents/index.js';
import { type Answer, get, type Parameters } from './api.js';

export interface Asked<T> {
  /** The last answer, also while the next one is awaited. */
  answer: T | undefined;
  error: unknown;
  waiting: boolean;
}

/** Asks whenever path or parameters change; null: not at all. A late answer to an earlier question is dropped. */
export function useAnswer<Name extends keyof typeof documents>(
  path: string,
  parameters: Parameters | null = {},
): Asked<Answer<Name>> {
  const [state, setState] = useState<Asked<Answer<Name>>>({
    answer: undefined,
    error: undefined,
    waiting: true,
  });
  const question = parameters === null ? undefined : JSON.stringify([path, parameters]);
  useEffect(() => {
    if (question === undefined) return setState({ answer: undefined, error: undefined, waiting: false });
    const [path, parameters] = JSON.parse(question);
    const asking = new AbortController();
    setState(({ answer }) => ({ answer, error: undefined, waiting: true }));
    get<Name>(path, parameters, asking.signal).then(
      (answer) => !asking.signal.aborted && setState({ answer, error: undefined, waiting: false }),
      (error) => !asking.signal.aborted && setState({ answer: undefined, error, waiting: false }),
    );
    return () => asking.abort();
  }, [question]);
  return state;
}
