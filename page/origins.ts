import type * as z from 'zod/mini';
import type { waking } from '../src/operations/wake-up/index.js';

type Told = z.output<ReturnType<typeof waking.wakeUp.output>>;
export type Entry = Told['diary'][number];

export interface ToldLine {
  text: string;
  /** The memory that it tells; undefined for headings, the identity, and what the palace contains. */
  entry: Entry | undefined;
  /** Its first line. */
  isHead: boolean;
}

/** The first line of a memory names its drawer by the beginning of the id. */
const HEAD = /^│ - .*? (drawer_[0-9a-f]{12})(?: (?:pinned|high))*$/;
/** Further lines of a memory are indented. */
const BODY = /^│ {3}/;

/** The lines of a wake-up, each with the memory that it is from. */
export function linesOf({ text, important, diary, sessions }: Told): ToldLine[] {
  const entries = [...important, ...diary, ...sessions];
  let entry: Entry | undefined;
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const [, id] = HEAD.exec(line) ?? [];
      if (id !== undefined) entry = entries.find(({ drawer_id }) => drawer_id.startsWith(id));
      else if (!BODY.test(line)) entry = undefined;
      return { text: line, entry, isHead: id !== undefined && entry !== undefined };
    });
}
