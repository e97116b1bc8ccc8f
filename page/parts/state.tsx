import type { ComponentChildren } from 'preact';
import { Refused } from '../api.js';
import type { Asked } from '../ask.js';

/** Shows an answer when it is there, and until then that it is awaited, or why it does not come. */
export function Shown<T>({
  asked,
  children,
}: {
  asked: Asked<T>;
  children: (answer: T) => ComponentChildren;
}) {
  const { answer, error, waiting } = asked;
  if (error !== undefined) return <Trouble error={error} />;
  if (answer === undefined)
    return waiting ? (
      <p class="quiet" role="status">
        Reading…
      </p>
    ) : null;
  return <div aria-busy={waiting}>{children(answer)}</div>;
}

export function Trouble({ error }: { error: unknown }) {
  if (error instanceof Refused && (error.status === 401 || error.status === 403)) return <NotLetIn />;
  if (error instanceof Refused)
    return (
      <div class="trouble" role="alert">
        <p dir="auto">{error.message}</p>
        {error.hint !== undefined && (
          <p class="quiet" dir="auto">
            {error.hint}
          </p>
        )}
      </div>
    );
  return (
    <div class="trouble" role="alert">
      <p>The palace does not answer: its broker has ended, or the page was closed because nobody used it.</p>
      <p class="quiet">
        <code>mempalace ui</code> opens it again.
      </p>
    </div>
  );
}

function NotLetIn() {
  return (
    <div class="trouble" role="alert">
      <p>
        This browser is not let in: the link was used before, is older than five minutes, or was for another
        browser.
      </p>
      <p class="quiet">
        Run <code>mempalace ui</code> for a new one.
      </p>
    </div>
  );
}
