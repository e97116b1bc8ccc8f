import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/app/exit.js';
import { renderClassTable } from '../../src/feeders/docs/class-table.js';
import { addShop } from '../support/shop.js';
import { TestEnv } from '../support/test-env.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const README = read('README.md');

/** Parts that depend on the machine and the run. */
function settled(text: string, home: string): string {
  return text
    .replaceAll(home, '/home/you')
    .replace(/drawer_[0-9a-f]{12,24}/g, 'drawer_…')
    .replace(/\b\d+(?:\.\d+)?(?:e-\d+)? ?(?:s|MB|kB)\b/g, '#')
    .replace(/\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC/g, '# UTC')
    .replace(/\d{4}-\d{2}-\d{2}/g, '#-#-#')
    .replace(/"(score|lexical|semantic|bm25|match|relevance|recency)":[\d.e-]+/g, '"$1":#')
    .replace(/ {2}0\.\d\d$/gm, '  #')
    .trimEnd();
}

interface Example {
  command: string;
  output: string;
}

function examples(pages: readonly string[]): Example[] {
  const blocks = pages.flatMap((page) => [...read(page).matchAll(/^```console\n([\s\S]*?)^```$/gm)]);
  return blocks.flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command = '', ...output] = text.split('\n');
        return { command, output: output.join('\n') };
      }),
  );
}

describe('the README and its pages', () => {
  it.each([
    [['README.md'], 3],
    // In order, as a reader would try them.
    [['docs/daily-use.md', 'docs/scripting.md'], 10],
  ])('%s show the output of the commands', async (pages, least) => {
    const env = new TestEnv();
    addShop(env);
    const shown = examples(pages);
    expect(shown.length).toBeGreaterThanOrEqual(least);
    for (const { command, output } of shown) {
      const [program = '', ...args] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
        (match) => match[1] ?? (match[2] ?? '').replace(/^~/, env.home),
      );
      const outcome = await env.run(program, args);
      expect(outcome.exitCode, command).toBe(0);
      expect(settled(outcome.stdout, env.home), command).toBe(settled(output, env.home));
    }
  });

  it('links to the table of document classes that the code uses', () => {
    expect(README).toContain('(docs/documents.md)');
    const table = /<!-- classes -->\n([\s\S]*?)<!-- \/classes -->/
      .exec(read('docs/documents.md'))?.[1]
      ?.trim();
    expect(table).toBe(renderClassTable());
  });

  it('names every exit code', () => {
    const codes = [...read('docs/scripting.md').matchAll(/^\| ([\d, ]+) \| /gm)].flatMap((match) =>
      (match[1] ?? '').split(', ').map(Number),
    );
    expect(codes.sort((a, b) => a - b)).toEqual(Object.values(EXIT).sort((a, b) => a - b));
  });
});
