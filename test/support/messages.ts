import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree, as far as texts need it. */
interface Node {
  type: string;
  [key: string]: unknown;
}

/** Two words in a row, the second in lower case. */
const PROSE = /\p{L}[\p{L}'’]*,? \p{Ll}/u;
/** SQL, stop words and lists of names: two words in a row that are not a sentence. */
const CODE =
  /\b(?:SELECT|WHERE|JOIN|INSERT|UPDATE|DELETE|CREATE|DROP|PRAGMA|VALUES|RETURNING|NULL|DESC|GLOB|CASE|NOT|AS|OR|AND)\b|=[ @]|\n {2}(?:local|case|set|for) |^(?:\S+\s+){25,}\S+$(?<![.:])/;

/** The sentences of a module: string literals and templates, with `${…}` in place of values. */
export function messagesOf(source: string): string[] {
  const found: string[] = [];
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node, found);
  return found;
}

function visit(node: Node, found: string[]): void {
  if (node.type === 'ImportDeclaration' || node.type.startsWith('TS')) return;
  const text = textOf(node);
  if (text !== undefined) {
    if (PROSE.test(text) && !CODE.test(text)) found.push(text.replaceAll('\0', '').trim());
  }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, found);
}

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('$' + '{…}');
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
