import type { Token } from 'markdown-it';
import { type ComponentChildren, h } from 'preact';
import type { Matcher } from '../../src/search/matches.js';
import type { Block } from '../blocks.js';
import { plainOf, type Rendered, wordsOf } from '../markdown.js';
import type { Place } from '../place.js';
import { Link } from './link.js';
import { Scroll } from './scroll.js';
import { Marked } from './text.js';

interface Shown {
  /** The line that is looked for. */
  target: number | undefined;
  matcher: Matcher | undefined;
  /** Where a link to another document of the palace leads. */
  placeOf: (href: string) => Place | undefined;
}

interface Props extends Shown {
  block: Block;
  rendered: Rendered;
}

type Context = Shown & Rendered & { targeted: Token | undefined };
type Nodes = ComponentChildren[];

/** Elements that contain the words of lines: the one with the line that is looked for is marked. */
const LEAVES = /^(?:paragraph_open|heading_open|tr_open|fence|code_block|hr)$/;

/** A block of Markdown. It is made of elements, never of HTML: nothing in it can run, and it loads nothing. */
export function Markdown({ block: { start, end, first, last }, rendered, target, ...shown }: Props) {
  const { tokens, base } = rendered;
  const isHere = target !== undefined && target >= first && target <= last;
  const targeted = isHere ? targetedIn(tokens, target - base) : undefined;
  const id = isHere && targeted === undefined ? `L${target}` : undefined;
  return (
    <div class="rendered" data-start={start} data-end={end} id={id}>
      {nodesOf(tokens, { ...shown, ...rendered, target, targeted })}
    </div>
  );
}

/** The element with a line; for one between two, the one before. The line of the transcriber is above the first. */
function targetedIn(tokens: readonly Token[], line: number): Token | undefined {
  const leaves = tokens.filter(({ type, map }) => LEAVES.test(type) && map !== null);
  return leaves.findLast(({ map }) => map !== null && map[0] <= line) ?? leaves[0];
}

function nodesOf(tokens: readonly Token[], context: Context): Nodes {
  const root: Nodes = [];
  const open: { token: Token; nodes: Nodes }[] = [];
  const add = (node: ComponentChildren): void => void (open.at(-1)?.nodes ?? root).push(node);
  const close = (): void => {
    const top = open.pop();
    if (top !== undefined) add(elementOf(top.token, top.nodes, context));
  };
  for (const token of tokens) {
    if (token.nesting === 1) open.push({ token, nodes: [] });
    else if (token.nesting === -1) close();
    else add(leafOf(token, context));
  }
  while (open.length > 0) close();
  return root;
}

function elementOf(token: Token, nodes: Nodes, { targeted, target, placeOf }: Context): ComponentChildren {
  const { type, tag, hidden } = token;
  const marked = token === targeted ? { id: `L${target}`, class: 'target' } : {};
  if (type === 'link_open')
    return <Reference href={String(token.attrGet('href'))} placeOf={placeOf} nodes={nodes} />;
  if (type === 'table_open')
    return (
      <Scroll way="across">
        <table>{nodes}</table>
      </Scroll>
    );
  if (type === 'paragraph_open' && hidden)
    return (
      <span dir="auto" {...marked}>
        {nodes}
      </span>
    );
  if (type === 'heading_open')
    // The title of the page is above all of them.
    return h(`h${Math.min(6, Number(tag[1]) + 1)}`, { ...marked, dir: 'auto', 'data-depth': tag[1] }, nodes);
  if (type === 'ordered_list_open') return <ol start={Number(token.attrGet('start') ?? 1)}>{nodes}</ol>;
  const isRight = /right/.test(token.attrGet('style') ?? '');
  const looks = { ...marked, ...(/^t[hd]$/.test(tag) && isRight && { class: 'right' }) };
  return h(tag, /^(?:p|li|th|td|tr|blockquote)$/.test(tag) ? { dir: 'auto', ...looks } : looks, nodes);
}

function leafOf(token: Token, context: Context): ComponentChildren {
  const { type, content, children, markup, info, map } = token;
  const { matcher, env, targeted, target = 0, base } = context;
  switch (type) {
    case 'inline': {
      const words = wordsOf(token, env);
      return words === undefined ? <Marked text={content} matcher={matcher} /> : nodesOf(words, context);
    }
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'hr':
      return (
        <hr class={token === targeted ? 'target' : ''} id={token === targeted ? `L${target}` : undefined} />
      );
    case 'code_inline':
      return (
        <code dir="auto">
          <Marked text={content} matcher={matcher} />
        </code>
      );
    case 'image':
      return <Image alt={plainOf(children ?? [])} address={String(token.attrGet('src'))} />;
    case 'fence':
    case 'code_block': {
      const lines = content.replace(/\n$/, '').split('\n');
      const at = token === targeted && map ? target - base - map[0] - (markup === '' ? 0 : 1) : undefined;
      return (
        <Code
          lines={lines}
          language={info.trim().split(/\s/)[0] ?? ''}
          at={at}
          line={target}
          matcher={matcher}
        />
      );
    }
    default:
      return <Marked text={content} matcher={matcher} />;
  }
}

interface CodeProps {
  lines: readonly string[];
  language: string;
  /** Which of them is looked for: −1 and the number of lines are the fences. */
  at: number | undefined;
  line: number;
  matcher: Matcher | undefined;
}

function Code({ lines, language, at, line, matcher }: CodeProps) {
  const sought = at === undefined ? undefined : Math.max(0, Math.min(at, lines.length - 1));
  return (
    <figure class="code">
      {language !== '' && <figcaption dir="auto">{language}</figcaption>}
      <pre>
        {lines.map((text, index) => (
          <div
            key={index}
            dir="auto"
            class={index === sought ? 'target' : undefined}
            id={index === sought ? `L${line}` : undefined}
          >
            {text === '' ? <br /> : <Marked text={text} matcher={matcher} />}
          </div>
        ))}
      </pre>
    </figure>
  );
}

/** No image is loaded: an image can tell who reads it. */
function Image({ alt, address }: { alt: string; address: string }) {
  return (
    <span class="image" dir="auto">
      {alt === '' ? 'image' : alt} <bdi>{address}</bdi>
    </span>
  );
}

interface ReferenceProps extends Pick<Shown, 'placeOf'> {
  href: string;
  nodes: Nodes;
}

/** A link to a document of the palace, or to the web; any other address is text. */
function Reference({ href, placeOf, nodes }: ReferenceProps) {
  const place = placeOf(href);
  if (place !== undefined) return <Link to={place}>{nodes}</Link>;
  if (/^https?:\/\//i.test(href))
    return (
      <a href={href} title={href} target="_blank" rel="noopener noreferrer">
        {nodes}
      </a>
    );
  return (
    <span class="address" title={href}>
      {nodes}
    </span>
  );
}
