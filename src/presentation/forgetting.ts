/** What would be forgotten, and what was, as documents. */
import { snakeNamed } from '../core/case.js';
import type { ForgetPreview, Forgotten } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

const COMMAND = 'mempalace forget';

/** @param staged number of their files in the cache of this machine */
export function forgetPreviewDocument(
  { id, sources, forgotten, drawers, facts, copies, collections, backups }: ForgetPreview,
  staged: number,
): Document<'forgetDryRun'> {
  return {
    command: COMMAND,
    dry_run: true,
    preview: id,
    sources: sources.map(snakeNamed),
    already_forgotten: forgotten.length,
    drawers_removed: drawers,
    facts,
    facts_removed: facts.length,
    staged_removed: staged,
    copies: copies.map(snakeNamed),
    collections,
    backups: backups.map(({ file }) => file),
    backups_removed: backups.flatMap(({ file, outcome }) => (outcome === 'removed' ? [file] : [])),
  };
}

/** What was erased. */
export function forgottenDocument({
  sources,
  alreadyForgotten,
  drawers,
  facts,
  staged,
  backups,
  unknown,
  logEmptied,
}: Forgotten): Document<'forget'> {
  return {
    command: COMMAND,
    sources: sources.map(snakeNamed),
    already_forgotten: alreadyForgotten,
    drawers_removed: drawers,
    facts_removed: facts,
    staged_removed: staged,
    backups,
    unknown,
    log_emptied: logEmptied,
  };
}

/** What a program that forgot has printed. */
export function readForgotten(document: Document<'forget'>): Forgotten {
  return {
    sources: document.sources.map(({ source_key: sourceKey, source_file: sourceFile, ...source }) => {
      return { sourceKey, sourceFile, ...source };
    }),
    alreadyForgotten: document.already_forgotten,
    drawers: document.drawers_removed,
    facts: document.facts_removed,
    staged: document.staged_removed,
    backups: document.backups,
    unknown: document.unknown,
    logEmptied: document.log_emptied,
  };
}
