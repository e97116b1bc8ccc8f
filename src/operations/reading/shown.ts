/** Drawers in their surroundings, and whole sources, as documents. */
import { type ErrorCode, UserError } from '../../core/errors.js';
import { jsonText, NOTICE } from '../../core/outside.js';
import type {
  DrawerPlace,
  PalaceService,
  ServiceCall,
  Shown,
  ShownSource,
} from '../../service/contract/index.js';
import { drawerJson, passageText, sourceJson } from '../drawer-fields.js';
import { ask } from '../operation.js';
import { showing } from './show.js';

/** What is wrong with a name. */
const NAMED: ReadonlySet<ErrorCode> = new Set(['not-found', 'usage']);

export async function shownAs(
  service: PalaceService,
  asked: { name: string; paths?: string[]; radius: number; preview?: boolean },
  call: ServiceCall,
): Promise<Shown> {
  return (await ask(service, showing.show, asked, call)).found;
}

/** A drawer with its passage. */
export function drawerDocument({ drawer, count, passage, previous, next }: DrawerPlace) {
  return {
    notice: NOTICE,
    kind: 'drawer',
    drawer: drawerJson(drawer),
    source: sourceJson(drawer, count),
    passage: { drawers: passage.map((other) => other.drawerId), text: passageText(passage) },
    previous,
    next,
  };
}

/** The text of a source. The palace may be elsewhere: it comes in parts. */
export async function* piecesOf(
  { source: { sourceKey, hash, chars } }: ShownSource,
  service: PalaceService,
  call: ServiceCall,
): AsyncGenerator<string> {
  if (chars === 0) return;
  for (let from = { piece: 0, start: 0 }; ; ) {
    const asked = { sourceKey, hash, offset: from.start, chars: 1, from };
    const { text, next } = await ask(service, showing.textPart, asked, call);
    yield text;
    if (next === undefined) return;
    from = next;
  }
}

/** One of several names that a client asked for: what it is, or why it is not shown. */
export interface Asked {
  name: string;
  found?: Shown;
  trouble?: UserError;
}

/** Each of the names by itself. A name that means nothing, or several things, does not keep the others from being shown. */
export async function* askedOf(
  names: readonly string[],
  ask: (name: string) => Promise<Shown>,
): AsyncGenerator<Asked> {
  for (const name of names) {
    try {
      yield { name, found: await ask(name) };
    } catch (error) {
      if (!(error instanceof UserError) || !NAMED.has(error.code)) throw error;
      yield { name, trouble: error };
    }
  }
}

/** The document of a source, in parts, with a line feed; its last field, the text, is streamed. */
export async function* sourceDocument(
  { source, priority, pinned, turns }: ShownSource,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  const facts = {
    notice: NOTICE,
    kind: 'source',
    source: sourceJson(source, source.drawers),
    priority,
    pinned,
    chars: source.chars,
    turns: turns?.map(({ role, start }) => [role, start]) ?? null,
    gone: turns?.flatMap(({ gone, start }) => (gone === true ? [start] : [])) ?? [],
  };
  yield `${jsonText(facts).slice(0, -1)},"text":"`;
  for await (const piece of pieces) yield jsonText(piece).slice(1, -1);
  yield '"}\n';
}
