import type { Heading } from '../markdown.js';

/** Fewer headings are seen at a glance. */
const FEWEST = 3;

/** The headings of a document; each leads to its line. */
export function Outline({
  headings,
  onLine,
}: {
  headings: readonly Heading[];
  onLine: (line: number) => void;
}) {
  if (headings.length < FEWEST) return null;
  return (
    <nav class="outline" aria-label="Outline">
      <ul>
        {headings.map(({ depth, text, line }) => (
          <li key={line} data-depth={depth}>
            <button type="button" dir="auto" onClick={() => onLine(line)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
