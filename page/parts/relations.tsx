import type { Answer } from '../api.js';
import { useWide } from '../wide.js';
import { counted, nameOf } from '../words.js';
import { Link, toSource } from './link.js';

export type Related = Answer<'related'>;

/** What a source is connected with: the links of a document, the sub-agents and forks of a session. */
export function Relations({
  related: { links_to: to, linked_from: from, tree },
  of,
}: {
  related: Related;
  of: string;
}) {
  return (
    <>
      <Links title="Links to" documents={to} at="here" from={of} />
      <Links title="Linked from" documents={from} at="there" from={of} />
      {tree.length > 0 && <Tree tree={tree} of={of} />}
    </>
  );
}

/** Calls that begin a session of their own. */
const BEGINS = /^\[tool (?:task|agent|spawn)/i;

/** The sub-agents that a call of a tool began: it contains their titles. */
export function Begun({ related: { tree }, of, call }: { related: Related; of: string; call: string }) {
  if (!BEGINS.test(call)) return null;
  const begun = tree.filter(
    ({ of: parent, title }) => parent === of && title !== null && call.includes(titleIn(title)),
  );
  return (
    <>
      {begun.map(({ source_key, ...source }) => (
        <p key={source_key} class="begun">
          →{' '}
          <Link to={toSource(source_key)} dir="auto">
            {nameOf(source)}
          </Link>
        </p>
      ))}
    </>
  );
}

/** opencode adds who does it. */
const titleIn = (title: string): string => title.replace(/ \(@[^)]*\)$/, '');

/** So many are listed unfolded. */
export const LISTED = 5;

interface LinksProps {
  title: string;
  documents: Related['links_to'];
  /** Where the link is: in this document or in the other. */
  at: 'here' | 'there';
  from: string;
}

function Links({ title, documents, at, from }: LinksProps) {
  // Where it is above the text, the text is first.
  const isWide = useWide();
  if (documents.length === 0) return null;
  return (
    <details class="links" open={isWide && documents.length <= LISTED}>
      <summary>
        {title} {counted(documents.length, 'document')}
      </summary>
      <ul class="rows">
        {documents.map(({ source_key, link, line, ...source }) => (
          <li key={source_key}>
            <Link to={toSource(source_key, at === 'there' ? line : undefined)} dir="auto">
              {nameOf(source)}
            </Link>
            <span class="quiet" dir="auto">
              {link}, {at === 'here' ? <Link to={toSource(from, line)}>line {line}</Link> : `line ${line}`}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Sessions below what they came from. */
function Tree({ tree, of }: { tree: Related['tree']; of: string }) {
  const below = (key: string | null) => tree.filter((each) => each.of === key);
  const branch = (sessions: Related['tree']) => (
    <ul>
      {sessions.map(({ source_key, relation, ...source }) => (
        <li key={source_key}>
          {source_key === of ? (
            <strong dir="auto" aria-current="true">
              {nameOf(source)}
            </strong>
          ) : (
            <Link to={toSource(source_key)} dir="auto">
              {nameOf(source)}
            </Link>
          )}{' '}
          <span class="quiet">
            {[relation ?? 'the session', counted(source.drawers, 'drawer')].join(' · ')}
          </span>
          {below(source_key).length > 0 && branch(below(source_key))}
        </li>
      ))}
    </ul>
  );
  return (
    <section class="tree" aria-labelledby="tree">
      <h2 id="tree">Sub-agents and forks</h2>
      {branch(below(null))}
    </section>
  );
}
