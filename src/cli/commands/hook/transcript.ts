import { kimiTranscript } from '../../../feeders/transcripts/homes.js';
import type { Harness, HookInput } from '../../../hooks/protocol.js';

/** The transcript of the session that calls a hook; undefined for opencode, whose sessions are in a database. */
export function transcriptIn(
  harness: Harness,
  sessionId: string,
  { transcript }: Pick<HookInput, 'transcript'>,
): string | undefined {
  return harness === 'kimi' ? kimiTranscript(sessionId, process.env) : transcript;
}
