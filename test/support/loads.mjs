/** For `node --import`: appends every imported or required module to the file $LOADS, one per line. */
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

const HOOKS = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADS, url + '\\n');
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
process.on('exit', () => {
  const required = Object.keys(createRequire(import.meta.url).cache);
  appendFileSync(process.env.LOADS, required.map((path) => `${path}\n`).join(''));
});
