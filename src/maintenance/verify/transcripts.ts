import { existsSync } from 'node:fs';
import type { Skipped } from '../../core/contract.js';
import { messageOf } from '../../core/errors.js';
import { realPathOfMarked } from '../../core/marked-path.js';
import { filesOfStaged } from '../../feeders/transcripts/fingerprint.js';
import type { TranscriptOptions, WorkItem } from '../../feeders/transcripts/options.js';
import { cleanedSkips, sessionsOf, transcriptOf } from '../../feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../feeders/transcripts/survey.js';
import type { Scope } from '../../sanitiser/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { type Finding, findingOf } from './finding.js';
import { likenessOf, readLive } from './live.js';

/** Options of the feeder of transcripts without their places: filed transcripts are read where they were found. */
export type VerifyTranscriptsOptions = Omit<TranscriptOptions, 'places' | 'files' | 'minMessages' | 'force'>;

/**
 * Compares filed transcripts with their files, as their feeder would stage them now. A missing file does not make an
 * orphan: programs delete their old transcripts.
 */
export async function* verifyTranscripts(
  palace: Palace,
  filed: readonly FiledSource[],
  options: VerifyTranscriptsOptions,
): AsyncGenerator<Finding> {
  const staged = filesOfStaged(options.cache);
  const there = new Map<string, FiledSource>();
  const files = new Set<string>();
  for (const source of filed) {
    const own = (staged.get(source.sourceKey) ?? [source.origin]).flatMap((path) => {
      const real = realPathOfMarked(path);
      return real !== undefined && existsSync(real) ? [real] : [];
    });
    if (own.length === 0) {
      yield findingOf(source, 'not_checked', { harmless: true, detail: 'its transcript is gone' });
      continue;
    }
    there.set(source.sourceKey, source);
    for (const path of own) files.add(path);
  }
  if (files.size === 0) return;
  const all = { places: [], files: [...files], minMessages: 0, force: true };
  const survey = await surveyTranscripts({ ...options, ...all });
  const skipped = await cleanedSkips(survey.skipped, options.sanitiser);
  for (const items of sessionsOf(survey.items)) {
    const findings = await comparedTogether(items, there, palace, options);
    for (const { sourceKey } of findings) there.delete(sourceKey);
    yield* findings;
  }
  for (const source of there.values()) yield passedOver(source, skipped);
}

/** Compares twice when a secret was found: text that was read earlier may contain it, too. */
async function comparedTogether(
  items: readonly WorkItem[],
  filed: ReadonlyMap<string, FiledSource>,
  palace: Palace,
  { sanitiser, signal }: VerifyTranscriptsOptions,
): Promise<Finding[]> {
  const scope = sanitiser.scope();
  const compareAll = async () => {
    const findings: Finding[] = [];
    for (const item of items) {
      signal?.throwIfAborted();
      const source = filed.get(item.conversation.sourceKey);
      const finding = await compared(item, source, palace, scope);
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  };
  const findings = await compareAll();
  return scope.known === 0 ? findings : compareAll();
}

/** A transcript that is not filed is read only for its secrets. */
async function compared(
  item: WorkItem,
  source: FiledSource | undefined,
  palace: Palace,
  scope: Scope,
): Promise<Finding | undefined> {
  try {
    const { lines, counts, head } = await transcriptOf(item, scope);
    const live = await readLive(lines);
    if (source === undefined) return undefined;
    const facts = {
      directory: head.cwd,
      standsIn: [...item.standsIn],
      leftOut: counts.omitted,
      unparsedRows: counts.malformed.length,
    };
    const likeness = await likenessOf(live, facts, source, { palace, scope });
    if (likeness === 'changed') return findingOf(source, 'stale', { detail: 'its text changed' });
    return findingOf(source, 'ok');
  } catch (error) {
    return source && findingOf(source, 'not_checked', { detail: `it cannot be read: ${messageOf(error)}` });
  }
}

function passedOver(source: FiledSource, skipped: readonly Skipped[]): Finding {
  const skip = skipped.find(({ origin }) => origin === source.origin);
  if (skip?.problem === true) return findingOf(source, 'not_checked', { detail: skip.detail ?? skip.reason });
  // What is filed stays, whatever the file contains now.
  const detail = `its file is not this transcript any more: ${skip?.reason ?? 'it contains another session'}`;
  return findingOf(source, 'not_checked', { harmless: true, detail });
}
