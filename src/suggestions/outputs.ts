import type { Output } from '../core/suggestions.js';

const SECTIONS: Record<Output, readonly string[]> = {
  'principle-card': ['Principle', 'Why', 'Where it holds, and where not'],
  'prompt-kernel': ['Kernel', 'When to use it', 'What it needs'],
  'failure-pattern': ['What goes wrong', 'How to recognise it', 'What helps'],
  'thinking-path': ['Question', 'Path', 'Where it led'],
  'constitution-candidate': ['Rule', 'Why it is told first', 'What would end it'],
};

export interface Draft {
  output: Output;
  /** One line. */
  title: string;
  /** `YYYY-MM-DD`. */
  day: string;
  /** The drawer that is the evidence, and its text. */
  drawerId: string;
  passage: string;
  /** One line. */
  uses: string;
}

/** A document with front matter: its sections are empty, for a person or an agent to write, and the evidence is quoted. */
export function draftOf({ output, title, day, drawerId, passage, uses }: Draft): string {
  const quoted = passage
    .trimEnd()
    .split('\n')
    .map((text) => `> ${text}`.trimEnd());
  const front = [
    `title: ${JSON.stringify(title)}`,
    `type: ${output}`,
    'status: draft',
    `date: ${day}`,
    `source: ${drawerId}`,
    `uses: ${uses}`,
  ];
  const sections = SECTIONS[output].flatMap((name) => [`## ${name}`, '']);
  return ['---', ...front, '---', '', `# ${title}`, '', ...sections, '## Evidence', '', ...quoted, ''].join(
    '\n',
  );
}
