/** A part of the help text after the options. */
export type Note =
  | { kind: 'text'; text: string }
  | { kind: 'list'; heading: string; items: { term: string; about: string }[] };

const EXAMPLES = 'Examples';

/**
 * Parses the text. A block whose first line ends with a colon and whose other lines are indented is a list: a term,
 * two or more spaces, and its description, which may continue on lines with more indentation. Every other block is a
 * paragraph.
 */
export function parseNotes(notes: string): Note[] {
  return notes
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const [head = '', ...lines] = block.split('\n');
      if (!head.endsWith(':') || lines.length === 0 || !lines.every((line) => line.startsWith('  '))) {
        return { kind: 'text', text: block.replace(/\s*\n\s*/g, ' ').trim() };
      }
      const items: { term: string; about: string }[] = [];
      for (const line of lines) {
        const last = items.at(-1);
        if (/^ {3}/.test(line) && last !== undefined) last.about = `${last.about} ${line.trim()}`.trim();
        else {
          const [, term = '', about = ''] = /^ {2}(.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
          items.push({ term, about });
        }
      }
      return { kind: 'list', heading: head.slice(0, -1), items };
    });
}

export function splitExamples(notes: string): {
  examples: { term: string; about: string }[];
  others: Note[];
} {
  const parsed = parseNotes(notes);
  const isExamples = (note: Note) => note.kind === 'list' && note.heading === EXAMPLES;
  return {
    examples: parsed.flatMap((note) => (note.kind === 'list' && isExamples(note) ? note.items : [])),
    others: parsed.filter((note) => !isExamples(note)),
  };
}
