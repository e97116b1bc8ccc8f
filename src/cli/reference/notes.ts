import type { Row } from './surroundings.js';

/** A part of the help text after the options. */
export type Note = { kind: 'text'; text: string } | { kind: 'list'; heading: string; items: Row[] };

/** The parts of a help text, and the items of its list of examples. */
export function splitNotes(notes: string): { examples: Row[]; others: Note[] } {
  const examples: Row[] = [];
  const blocks = notes.split(/\n{2,}/).filter((block) => block.trim() !== '');
  const others = blocks.map(parsed).filter((note) => {
    if (note.kind === 'text' || note.heading !== 'Examples') return true;
    examples.push(...note.items);
    return false;
  });
  return { examples, others };
}

/**
 * A block whose first line ends with a colon and whose other lines are indented is a list: a term, two or more spaces,
 * and its description, which may continue on lines with more indentation. Every other block is a paragraph.
 */
function parsed(block: string): Note {
  const [head = '', ...lines] = block.split('\n');
  if (!head.endsWith(':') || lines.length === 0 || !lines.every((line) => line.startsWith('  '))) {
    return { kind: 'text', text: block.replace(/\s*\n\s*/g, ' ').trim() };
  }
  const whole = lines.join('\n').replace(/\n {3,}/g, '  ');
  const items = whole.split('\n').map((line): Row => {
    const [, term = '', about = ''] = /^ {2}(.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    return [term, about.replace(/ {2,}/g, ' ')];
  });
  return { kind: 'list', heading: head.slice(0, -1), items };
}
