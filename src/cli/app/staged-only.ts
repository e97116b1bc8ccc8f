import type { Batch, Skipped } from '../../core/contract.js';
import type { Terminal } from '../terminal/terminal.js';
import { exitCodeFor } from './filing.js';
import { countReasons, printSkips, problemsOf } from './summary.js';

/** What `--stage-only` did: nothing is in the palace yet. Returns the exit code. */
export function printStaged(
  command: string,
  batches: readonly Batch[],
  skips: readonly Skipped[],
  terminal: Terminal,
): number {
  const sources = batches.flatMap((batch) => batch.sources);
  const files = sources.map((source) => source.sourceFile);
  if (terminal.options.json) {
    terminal.json({
      command,
      staged: sources.length,
      files,
      skipped: skips.length,
      skipped_by_reason: countReasons(skips),
      problems: problemsOf(skips),
    });
  } else {
    printSkips(terminal, skips);
    terminal.say(`${sources.length} staged, nothing filed; \`mempalace mine <staging folder>\` files them`);
  }
  return exitCodeFor(skips);
}
