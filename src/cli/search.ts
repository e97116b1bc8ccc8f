import { createInterface } from 'node:readline';
import { UserError } from '../common/errors.js';
import { resolveFolders } from '../common/folders.js';
import { loadConfig } from '../config/index.js';
import type { Hit } from '../search/index.js';
import { EXIT } from './exit.js';
import { hitJson } from './hit-json.js';
import { printHits } from './print-hits.js';
import type { Session } from './program.js';
import { type SearchFlags, searchConfig } from './search-config.js';

/** `mempalace search "<question>"`. Returns the exit code. */
export async function runSearch(
  words: readonly string[],
  flags: SearchFlags,
  session: Session,
): Promise<number> {
  const question = words.join(' ');
  if (question.trim() === '' && flags.batch !== true) {
    throw new UserError('usage', 'the question is empty', { hint: 'mempalace search "what to look for"' });
  }
  const { terminal, env } = session;
  const folders = resolveFolders(env, flags.palace);
  const settings = await loadConfig({ env, folders, flags: { palace: flags.palace } });
  const config = searchConfig(flags, settings.search, new Date());
  const [{ Palace }, { loadEmbedder }, { search }] = await Promise.all([
    import('../store/index.js'),
    import('../miner/embed/index.js'),
    import('../search/index.js'),
  ]);
  const palace = Palace.read(settings.palace);
  try {
    const embedder = await loadEmbedder({ modelId: palace.model.id });
    const ask = (text: string): Promise<Hit[]> => search({ ...config, palace, embedder, question: text });
    let found = 0;
    if (config.batch) {
      for await (const text of createInterface({ input: process.stdin })) {
        session.signal.throwIfAborted();
        const hits = await ask(text);
        found += hits.length;
        terminal.json({ query: text, hits: hits.map(hitJson) });
      }
    } else {
      const hits = await ask(question);
      found = hits.length;
      if (terminal.options.json) terminal.json({ query: question, hits: hits.map(hitJson) });
      else printHits(hits, config, terminal);
    }
    await embedder.close();
    return found === 0 && terminal.options.quiet ? EXIT.nothingFound : EXIT.done;
  } finally {
    palace.close();
  }
}
