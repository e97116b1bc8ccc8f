/** The first search of a process: node first-search.mjs PALACE QUESTION; prints milliseconds as JSON. */
const start = performance.now();
const [palaceFolder, question] = process.argv.slice(2);
const [{ Palace }, { loadEmbedder }, { search }] = await Promise.all([
  import('../../dist/store/index.js'),
  import('../../dist/embedding/index.js'),
  import('../../dist/search/index.js'),
]);
const loaded = performance.now();
const embedder = await loadEmbedder();
const [modelMs, opening] = [performance.now() - loaded, performance.now()];
const palace = Palace.read(palaceFolder);
const { hits } = await search({ palace, embedder, question, limit: 5 });
const searchMs = performance.now() - opening;
palace.close();
await embedder.close();
if (hits.length === 0) throw new Error(`nothing found for: ${question}`);
console.log(JSON.stringify({ modulesMs: loaded - start, modelMs, searchMs }));
