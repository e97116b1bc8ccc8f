import type { Checkpoint } from './record.js';

const TITLE_CHARS = 80;
const TITLE = '# Session Resume Context';
/** In their order. */
const HEADINGS = {
  note: 'Key Decisions',
  asks: 'Last Requests, newest first',
  todos: 'Open Tasks',
  files: 'Changed Files',
  errors: 'Errors without a later success',
  summary: 'Summary',
} as const;
const { note: NOTE, ...LATER } = HEADINGS;
/** Below the title come the line of `headOf` and the session. */
const NOTED = new RegExp(
  `^${TITLE}\\n\\n.*\\n.*\\n\\n## ${NOTE}\\n\\n([^]*?)\\n(?=$|\\n## (?:${Object.values(LATER).join('|')})\\n\\n)`,
);

/** `checkpoint 2 (compaction), 2026-01-02 10:15 UTC, branch main, context 5000 → 2000 tokens` */
export function headOf({ type, number, at, branch, tokensBefore, tokensAfter }: Checkpoint): string {
  const context =
    tokensAfter === undefined
      ? tokensBefore
      : `${tokensBefore === undefined ? '' : `${tokensBefore} → `}${tokensAfter}`;
  return [
    `checkpoint ${number === undefined ? '' : `${number} `}(${type})`,
    ...(at === undefined ? [] : [`${at.slice(0, 16).replace('T', ' ')} UTC`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(context === undefined ? [] : [`context ${context} tokens`]),
  ].join(', ');
}

/** `checkpoint 2 (compaction): the beginning of the last request`. */
export function checkpointTitle({ type, number, asks, note }: Checkpoint): string {
  const words = (note ?? asks.at(-1) ?? '').replace(/\s+/g, ' ').trim();
  const cut =
    words.length > TITLE_CHARS ? `${words.slice(0, TITLE_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…` : words;
  return `checkpoint ${number === undefined ? '' : `${number} `}(${type})${cut === '' ? '' : `: ${cut}`}`;
}

/** Where a filed checkpoint is in its session. */
const PLACED = /^# .*\n\n.*\n.*, before line (\d+)\n/;

/**
 * A checkpoint as it is filed: Markdown, with the words of user and programs as they are.
 *
 * @param session the key of its source
 * @param drawerOf the id of the drawer that contains a request, if it is filed
 */
export function checkpointText(
  checkpoint: Checkpoint,
  session: string,
  drawerOf: (ask: string) => string | undefined,
): string {
  const { asks, todos, files, errors, summary, note, line } = checkpoint;
  const place = line === undefined ? session : `${session}, before line ${line}`;
  const requests = [...asks].reverse().map((ask) => {
    const drawer = drawerOf(ask);
    return drawer === undefined ? ask : `${drawer}\n\n${ask}`;
  });
  const sections: [string, readonly string[], string][] = [
    [HEADINGS.note, note === undefined ? [] : [note], '\n\n'],
    [HEADINGS.asks, requests, '\n\n'],
    [HEADINGS.todos, todos.map((todo) => `- [ ] ${todo}`), '\n'],
    [HEADINGS.files, files.map(({ path, action }) => `- ${path} (${action})`), '\n'],
    [HEADINGS.errors, errors.map(({ tool, subject, message }) => `${tool} ${subject}\n\n${message}`), '\n\n'],
    [HEADINGS.summary, summary === undefined ? [] : [summary], '\n\n'],
  ];
  const parts = sections.flatMap(([heading, items, between]) =>
    items.length === 0 ? [] : [`## ${heading}\n\n${items.join(between)}\n`],
  );
  return [`${TITLE}\n\n${headOf(checkpoint)}\n${place}\n`, ...parts].join('\n');
}

/**
 * The note in the text of a filed checkpoint; undefined if it has none. A note that contains the heading of another section
 * ends there.
 */
export function noteIn(text: string): string | undefined {
  return NOTED.exec(text)?.[1];
}

/** The line of the session's text before which a filed checkpoint was made; undefined if the checkpoint does not say it. */
export function lineIn(text: string): number | undefined {
  const [, line] = PLACED.exec(text) ?? [];
  return line === undefined ? undefined : Number(line);
}
