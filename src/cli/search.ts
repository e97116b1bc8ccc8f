import { UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import type { Hit } from '../search/index.js';
import { parseCount } from './durations.js';
import { EXIT } from './exit.js';
import type { CommonFlags, Session } from './program.js';
import { line, plain, type Terminal } from './terminal.js';

export const DEFAULT_LIMIT = '5';

export interface SearchFlags extends CommonFlags {
  wing?: string;
  room?: string;
  limit: string;
}

/** `mempalace search "<question>"`. Returns the exit code. */
export async function runSearch(
  words: readonly string[],
  flags: SearchFlags,
  session: Session,
): Promise<number> {
  const question = words.join(' ');
  if (question.trim() === '') {
    throw new UserError('usage', 'the question is empty', { hint: 'mempalace search "what to look for"' });
  }
  const limit = parseCount('--limit', flags.limit, 1);
  const folders = resolveFolders(session.env, flags.palace);
  const [{ Palace }, { loadEmbedder }, { search }] = await Promise.all([
    import('../store/index.js'),
    import('../miner/embed/index.js'),
    import('../search/index.js'),
  ]);
  const palace = Palace.read(folders.palace);
  try {
    const embedder = await loadEmbedder({ modelId: palace.model.id });
    const hits = await search({ palace, embedder, question, wing: flags.wing, room: flags.room, limit });
    if (session.terminal.options.json) session.terminal.json({ query: question, hits: hits.map(hitJson) });
    else printHits(hits, session.terminal);
    await embedder.close();
    return hits.length === 0 && session.terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  } finally {
    palace.close();
  }
}

function hitJson({ drawer, score, scores }: Hit): Record<string, unknown> {
  return {
    drawer_id: drawer.drawerId,
    score: round(score),
    scores: { lexical: round(scores.lexical), semantic: round(scores.semantic), bm25: round(scores.bm25) },
    wing: drawer.wing,
    room: drawer.room,
    source_file: drawer.sourceFile,
    origin: drawer.origin,
    line_start: drawer.lineStart,
    line_end: drawer.lineEnd,
    content_date: drawer.contentDate,
    session_id: drawer.sessionId,
    title: drawer.title === '' ? null : drawer.title,
    text: drawer.text,
  };
}

function printHits(hits: readonly Hit[], terminal: Terminal): void {
  if (hits.length === 0) {
    terminal.note('nothing found');
    return;
  }
  hits.forEach(({ drawer, score }, index) => {
    const title = line(drawer.title) || line(drawer.place) || drawer.drawerId;
    const where = `${drawer.wing} / ${drawer.room}`;
    const { lineStart, lineEnd } = drawer;
    const lines = lineStart === lineEnd ? `line ${lineStart}` : `lines ${lineStart}–${lineEnd}`;
    terminal.data(
      `${index + 1}. ${terminal.style('bold', title)}  ${terminal.style('dim', score.toFixed(2))}`,
    );
    terminal.data(
      terminal.style('cyan', `   ${[line(where), drawer.contentDate].filter(Boolean).join('  ')}`),
    );
    terminal.data(terminal.style('dim', `   ${line(drawer.origin)}, ${lines}, ${drawer.drawerId}`));
    for (const row of plain(drawer.text).trim().split('\n')) terminal.data(`   │ ${row}`);
    terminal.data('');
  });
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
