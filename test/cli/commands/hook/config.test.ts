import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hookRunConfig, hookRunFlags } from '../../../../src/cli/commands/hook/config.js';

describe('the flags of mempalace hook run', () => {
  it('are read without the command tree', () => {
    const argv = ['hook', 'run', '--hook', 'stop', '--harness=codex', '--palace', '/p', '--quiet', '--what'];
    expect(hookRunFlags([...argv, '--log-file', '/l', '--log-level', 'debug'])).toEqual({
      hook: 'stop',
      harness: 'codex',
      palace: '/p',
      logFile: '/l',
      logLevel: 'debug',
    });
    expect(hookRunFlags(['hook', 'run', '--hook'])).toEqual({});
  });

  it.each([
    ['hook', 'run', '--help'],
    ['hook', 'run', '--version'],
    ['hook', 'flush'],
    ['hook'],
    [],
    ['search', 'run'],
  ])('%s %s %s uses the command tree', (...argv) => {
    expect(hookRunFlags(argv.filter((text) => text !== undefined))).toBeUndefined();
  });

  it('are refused if hook or harness is unknown', () => {
    expect(hookRunConfig({ hook: 'stop', harness: 'kimi' })).toEqual({ hook: 'stop', harness: 'kimi' });
    expect(() => hookRunConfig({ hook: 'stopp', harness: 'kimi' })).toThrow('--hook takes session-start');
    expect(() => hookRunConfig({ hook: 'stop' })).toThrow('--harness is missing');
  });
});

describe('the modules that a hook loads before it answers', () => {
  it('are only our own small files and Node’s modules', () => {
    const src = fileURLToPath(new URL('../../../../src/', import.meta.url));
    const seen = new Set<string>();
    const foreign: string[] = [];
    const walk = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      // Type imports are removed by the compiler.
      const text = readFileSync(file, 'utf8').replace(/^(?:import|export) type [\s\S]*?;$/gm, '');
      for (const [, name = ''] of text.matchAll(/^(?:import|export) [^;]*?from '([^']+)';$/gm)) {
        if (name.startsWith('node:')) continue;
        if (name.startsWith('.')) walk(resolve(dirname(file), name.replace(/\.js$/, '.ts')));
        else foreign.push(`${file}: ${name}`);
      }
    };
    walk(join(src, 'cli/commands/hook/run.ts'));
    walk(join(src, 'cli/commands/hook/config.ts'));
    expect(foreign).toEqual([]);
    expect(seen.has(join(src, 'hooks', 'queue.ts'))).toBe(true);
    expect([...seen].some((file) => file.includes('/store/') || file.includes('/miner/'))).toBe(false);
  });
});
