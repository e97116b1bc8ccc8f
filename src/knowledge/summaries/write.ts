import { type StagedSource, SUMMARY_ROOM } from '../../core/contract.js';
import { parseSourceKey } from '../../core/source-key.js';
import { fileWritten, type Writer } from '../../miner/file-written.js';
import { writtenAlone } from '../../miner/written.js';
import { type FiledSource, type Palace, SUMMARISING, summaryKey } from '../../store/index.js';

export interface SummaryNote {
  /** The key of the session. */
  session: string;
  /** The last change of the session that the model was given, epoch milliseconds. */
  mtime_ms: number;
  model: string;
  /** What the model wrote. Undefined if it wrote nothing: then only its tokens are recorded. */
  content?: string | undefined;
  tokens: number;
}

/** `gone`: the session is not filed any more. `forgotten`: the user had the summary forgotten. */
type SummaryOutcome = 'filed' | 'gone' | 'forgotten' | 'newer' | 'none';

export interface SummaryWritten {
  outcome: SummaryOutcome;
  /** The key of the summary's source. */
  summary_id: string;
  drawersRemoved: number;
  /** Redactions by kind. */
  redacted: Record<string, number>;
}

/**
 * Files a summary in place of the last one of its session, and records the tokens, in one short transaction without the run
 * lock. The tokens are recorded even if there is nothing to file.
 *
 * @throws errors of the embedder and the palace
 */
export async function writeSummary(
  palace: Palace,
  note: SummaryNote,
  { sanitiser, run: start, ...writing }: Writer,
): Promise<SummaryWritten> {
  const run = { ...start, command: SUMMARISING };
  const summary_id = summaryKey(note.session);
  const count = () => {
    palace.runs.add(run, { exitCode: 0, counts: { tokens: note.tokens }, skipped: [] });
  };
  const session = palace.sources.byKey(note.session);
  const nothing = { summary_id, drawersRemoved: 0, redacted: {} };
  if (session === undefined || note.content === undefined) {
    palace.transaction(count);
    return { outcome: note.content === undefined ? 'none' : 'gone', ...nothing };
  }
  const day = palace.summaries.dayOf(session.id);
  const source = await sourceOf(session, { ...note, content: note.content }, { sanitiser, run, day });
  let outcome: SummaryOutcome = 'filed';
  const filed = await fileWritten({
    ...writing,
    palace,
    run,
    sources: () => {
      const isGone = palace.sources.byKey(note.session) === undefined;
      const isNewer = (palace.sources.byKey(summary_id)?.mtimeMs ?? 0) > note.mtime_ms;
      outcome = isGone ? 'gone' : isNewer ? 'newer' : 'filed';
      return outcome === 'filed' ? [source] : undefined;
    },
    alongside: count,
  });
  if (filed === undefined) palace.transaction(count);
  const isForgotten = filed !== undefined && filed.forgotten.length > 0;
  if (isForgotten || outcome !== 'filed') return { outcome: isForgotten ? 'forgotten' : outcome, ...nothing };
  return {
    ...{ outcome, summary_id, drawersRemoved: filed?.drawersRemoved ?? 0 },
    redacted: source.redacted ?? {},
  };
}

/** The first words say what it is, so that every reader sees it. */
async function sourceOf(
  session: FiledSource,
  { mtime_ms, model, content }: SummaryNote & { content: string },
  { sanitiser, run, day }: Pick<Writer, 'sanitiser' | 'run'> & { day: string },
): Promise<StagedSource> {
  const { kind, owner } = parseSourceKey(session.sourceKey);
  const made = new Date(run.startedMs).toISOString().slice(0, 16).replace('T', ' ');
  const name = `${kind}/${owner}/summary`;
  const written = {
    sourceKey: summaryKey(session.sourceKey),
    wing: session.wing,
    room: SUMMARY_ROOM,
    text: `# Summary by a model\n\nMade by ${model}, ${made} UTC, of ${session.sourceKey}. These are not the words of the session.\n\n${content}\n`,
    origin: `summary://${name}`,
    sourceFile: `summary/${name}.md`,
    title: `summary by ${model}: ${session.title ?? owner}`,
    writtenMs: mtime_ms,
  };
  const staged = await writtenAlone(written, sanitiser);
  return {
    ...staged,
    ingestMode: 'summary',
    sessionId: session.sessionId ?? undefined,
    directory: session.directory ?? undefined,
    // Not the day on which it was made, which its text contains.
    contentDate: day,
  };
}
