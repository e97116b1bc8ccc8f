import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../src/core/errors.js';
import { Palace, palaceFile } from '../../src/store/index.js';
import { Feeder } from '../feeders/session/helpers.js';
import { joinedDrawers } from './drawers.js';
import { mined } from './mining.js';
import { TINY_MODEL, temporaryFolder } from './palace.js';

/** Stages and files opencode's history in this process, fast enough for thousands of faults. */
export class Keeper {
  readonly feeder: Feeder;
  readonly folder: string;

  constructor(database: string, folder = join(temporaryFolder(), 'palace')) {
    this.feeder = new Feeder(database);
    this.folder = folder;
  }

  /**
   * One run, as `mempalace-session` makes it.
   *
   * @returns the named problems, or the error that ended the run, which must be a `UserError`
   */
  async run(): Promise<string[]> {
    const palace = Palace.write(this.folder, TINY_MODEL);
    try {
      this.feeder.filed.clear();
      for (const [sourceKey, source] of palace.sources.ofKind('conversation')) {
        this.feeder.filed.set(sourceKey, source);
      }
      const { batches, skipped } = await this.feeder.stage();
      const { problems } = await mined(palace, batches);
      return [...skipped, ...problems]
        .filter(({ problem }) => problem === true)
        .map(({ reason, detail }) => `${reason}: ${detail}`);
    } catch (error) {
      if (error instanceof UserError) return [`${error.code}: ${error.message}`];
      throw error;
    } finally {
      palace.close();
    }
  }

  /** All filed text, by source key. */
  filed(): Map<string, string> {
    return existsSync(palaceFile(this.folder)) ? joinedDrawers(this.folder) : new Map();
  }
}
