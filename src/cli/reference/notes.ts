/** A part of the text that help prints after the options. */
export type Note =
  | { kind: 'text'; text: string }
  | { kind: 'list'; heading: string; items: { term: string; about: string }[] };

/** The heading of command lines to copy. */
const EXAMPLES = 'Examples';

/**
 * Takes such a text apart. A block whose first line ends with a colon and whose other lines are indented is a list:
 * a term, two spaces or more, and what it is; a line that is indented further goes on with the one before. Every
 * other block is a paragraph.
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

/** The examples, and what else there is to say. */
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
