import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { regularText } from '../../platform/regular-file.js';

/** Larger outputs stay cut. */
const MOST_BYTES = 1024 * 1024;
/** A folder in which a program stores outputs, and nothing else. */
const OUTPUTS = /^(?:tool-results|tool-outputs?)$/;
/** Qwen Code, and earlier releases of Gemini CLI, store them among other files of a project. */
const IN_PROJECT = /(?:^|[\\/])tmp[\\/][^\\/]+[\\/][^\\/]+\.output$/;

/**
 * The whole output of a tool that a program cut, from the file that its record names. The record may be of another machine,
 * and a tool can write any path into its output: only a regular file in the program's folders that is an output by its folder
 * or its name is read.
 *
 * @param recorded the path in the record
 * @param folders that may contain the folder of outputs, or the folder around it
 * @returns undefined if the file is missing, is larger than 1 MB, or is reached by a link
 */
export function wholeOutput(recorded: string, folders: readonly string[]): string | undefined {
  const names = ['', ...recorded.split(/[\\/]/)];
  const at = IN_PROJECT.test(recorded) ? names.length - 3 : names.findLastIndex((name) => OUTPUTS.test(name));
  const [around = '', ...below] = names.slice(at - 1);
  if (at < 0 || below.length < 2 || [around, ...below].includes('..')) return undefined;
  for (const folder of folders) {
    for (const parent of [folder, join(folder, around)]) {
      const text = textBelow(parent, below);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

function textBelow(parent: string, names: readonly string[]): string | undefined {
  try {
    const path = join(realpathSync(parent), ...names);
    return realpathSync(path) === path ? regularText(path, MOST_BYTES) : undefined;
  } catch {
    return undefined;
  }
}
