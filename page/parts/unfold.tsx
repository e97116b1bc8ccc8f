import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** What is made once it is opened: a list of hits is long, and most of them stay closed. */
export function Unfold({
  summary,
  label,
  class: looks = '',
  children,
}: {
  summary: string;
  /** What it is called where the summary is a sign. */
  label?: string;
  class?: string;
  children: () => ComponentChildren;
}) {
  const [isOpen, open] = useState(false);
  return (
    <details class={`disclosure ${looks}`} onToggle={(event) => open(event.currentTarget.open)}>
      <summary aria-label={label} title={label}>
        {summary}
      </summary>
      {isOpen && children()}
    </details>
  );
}
