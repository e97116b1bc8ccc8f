import { parseDay } from '../../../core/moment.js';
import { countOption, createCommand, type FlagsOf, parsedOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
A model behind a chat endpoint (Ollama, LM Studio, llama.cpp, Kimi, OpenAI) is
given a digest of each session that has no summary, or has grown since. Its
answer is filed beside the session. Nothing is sent before summary.url and
summary.model are set, and at most summary.daily_budget tokens per day are used.
A search finds summaries only with --type summary.

Examples:
  mempalace summarise --dry-run              what would be sent, and how much
  mempalace summarise --since 7d
  mempalace search "rounding" --type summary`;

export const summarise = createCommand('summarise', 'Have a model of your choice summarise sessions')
  .option('--session <id>', 'only this session')
  .addOption(
    parsedOption('--since <when>', 'only sessions from this day on: 2026-03-01, 3d, 2w', (flag, text) =>
      parseDay(flag, text, new Date()),
    ),
  )
  .addOption(countOption('--limit <n>', 'sessions at most, newest first', 1).default(50))
  .option('--dry-run', 'list the sessions; send nothing')
  .addHelpText('after', HELP);
export type SummariseFlags = FlagsOf<typeof summarise>;
summarise.action(lazily(async () => (await import('./run.js')).runSummarise));
