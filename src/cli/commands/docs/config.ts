import { UserError } from '../../../core/errors.js';
import { validateWing } from '../../../core/wing.js';
import { parseCount, parseDuration, parseSize } from '../../app/durations.js';
import type { FilingFlags } from '../../app/options.js';
import { maxDuration } from '../../app/time-limit.js';

export const DEFAULT_MAX_FILE_SIZE = '2M';

/** Flags of `mempalace-docs`, as commander returns them. */
export interface DocsFlags extends FilingFlags {
  wing?: string;
  include?: string[];
  exclude?: string[];
  gitignore: boolean;
  maxFileSize?: string;
  allowRemovals?: boolean;
  all?: boolean;
  stageOnly?: boolean;
  dryRun?: boolean;
  limit?: string;
}

export interface DocsConfig {
  /** As recorded with the run. */
  command: string;
  dir: string;
  palace: string | undefined;
  wing: string | undefined;
  include: string[];
  exclude: string[];
  gitignore: boolean;
  /** In bytes. */
  maxFileSize: number;
  /** The selection is for this run only, so the run does not know which documents are gone. */
  adHoc: boolean;
  allowRemovals: boolean;
  stageOnly: boolean;
  dryRun: boolean;
  limit: number | undefined;
  filing: FilingChoices;
}

/** @throws UserError `usage` */
export function docsConfig(command: string, dir: string, flags: DocsFlags): DocsConfig {
  const { include = [], exclude = [], gitignore, maxFileSize } = flags;
  const adHoc = include.length > 0 || exclude.length > 0 || !gitignore || maxFileSize !== undefined;
  if (flags.dryRun === true && flags.stageOnly === true) {
    throw new UserError('usage', '--dry-run and --stage-only exclude each other');
  }
  if (adHoc && flags.allowRemovals === true) {
    throw new UserError('usage', '--allow-removals needs a complete run', {
      hint: 'omit --include, --exclude, --no-gitignore and --max-file-size',
    });
  }
  return {
    command,
    dir,
    palace: flags.palace,
    wing: flags.wing === undefined ? undefined : validateWing(flags.wing),
    include,
    exclude,
    gitignore,
    maxFileSize: parseSize('--max-file-size', maxFileSize ?? DEFAULT_MAX_FILE_SIZE),
    adHoc,
    allowRemovals: flags.allowRemovals === true,
    stageOnly: flags.stageOnly === true,
    dryRun: flags.dryRun === true,
    limit: flags.limit === undefined ? undefined : parseCount('--limit', flags.limit, 1),
    filing: filingConfig(flags),
  };
}

/** Options of every command that files, without the palace. */
export interface FilingChoices {
  force: boolean;
  waitMs: number;
  redact: boolean;
  /** Stored with each drawer. Default: the command. */
  agent: string | undefined;
  /** Undefined without a limit. */
  maxDurationMs: number | undefined;
}

export function filingConfig(flags: FilingFlags & { stageOnly?: boolean }): FilingChoices {
  return {
    force: flags.force === true,
    waitMs: parseDuration('--wait', flags.wait),
    redact: flags.redact,
    agent: flags.agent === undefined ? undefined : validAgent(flags.agent),
    maxDurationMs: maxDuration(flags),
  };
}

function validAgent(text: string): string {
  const name = text.normalize('NFC').trim();
  if (/^[^\p{Cc}\p{Cf}\p{Cs}]{1,128}$/u.test(name)) return name;
  throw new UserError('usage', `--agent takes a name of 1 to 128 characters, not ${JSON.stringify(text)}`);
}
