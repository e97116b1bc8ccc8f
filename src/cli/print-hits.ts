import type { Hit } from '../search/index.js';
import { passageText } from './hit-json.js';
import type { SearchConfig } from './search-config.js';
import { line, plain, type Terminal } from './terminal.js';

/** Hits for people. */
export function printHits(hits: readonly Hit[], _config: SearchConfig, terminal: Terminal): void {
  if (hits.length === 0) {
    terminal.note('nothing found');
    return;
  }
  hits.forEach(({ drawer, score, passage }, index) => {
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
    for (const row of plain(passageText(passage)).trim().split('\n')) terminal.data(`   │ ${row}`);
    terminal.data('');
  });
}
