import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { palaceFile } from '../../src/store/index.js';

const FOLDER = fileURLToPath(new URL('../fixtures/palaces/', import.meta.url));

interface EarlierPalace {
  version: number;
  /** Copies it to the path of a palace. */
  layInto: (folder: string) => void;
}

/** A palace of each earlier schema version, made by the real program of its time. */
export function earlierPalaces(): EarlierPalace[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((name) => {
      const version = /^version-(\d+)\.sqlite3\.gz$/.exec(name)?.[1];
      if (version === undefined) return [];
      const layInto = (folder: string) => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(palaceFile(folder), gunzipSync(readFileSync(join(FOLDER, name))), { mode: 0o600 });
      };
      return [{ version: Number(version), layInto }];
    });
}
