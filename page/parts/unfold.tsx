import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** What is made once it is opened: a list of hits is long, and most of them stay closed. */
export function Unfold({ summary, children }: { summary: string; children: () => ComponentChildren }) {
  const [isOpen, open] = useState(false);
  return (
    <details class="disclosure" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
