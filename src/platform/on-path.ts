import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The absolute folders of PATH. */
export const foldersOnPath = (env: NodeJS.ProcessEnv): string[] =>
  (env.PATH ?? '').split(delimiter).filter(isAbsolute);

/** The program that a shell starts for a name. @param folders of PATH */
export const firstOn = (folders: readonly string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isProgram);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
