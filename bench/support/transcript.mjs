/** A session of Claude Code, record by record: requests, answers, commands, edits and the list of open items. */
import { appendFileSync } from 'node:fs';
import { commandOutput, filePath, prose, sourceCode } from './prose.mjs';

const FOLDER = '/home/dev/shop';

/** The records of one request, about 20 KB. @param {number} number of the request, from 0 */
function recordsOf(random, session, number) {
  const record = (type, content, more = {}) => ({
    type,
    uuid: `${session}-${random.hex(12)}`,
    sessionId: session,
    isSidechain: false,
    cwd: FOLDER,
    gitBranch: 'rounding',
    version: '2.1.330',
    timestamp: new Date(Date.UTC(2026, 0, 2) + number * 60_000).toISOString(),
    message: { role: type, content },
    ...more,
  });
  const call = (name, input, output, error = false) => {
    const id = `toolu_${random.hex(16)}`;
    const result = { type: 'tool_result', tool_use_id: id, content: output, is_error: error };
    return [record('assistant', [{ type: 'tool_use', id, name, input }]), record('user', [result])];
  };
  const file = `${FOLDER}/${filePath(random)}`;
  const [old_string, new_string] = [sourceCode(random, 300), sourceCode(random, 400)];
  const todos = ['in_progress', 'pending', 'completed'].map((status) => ({
    content: prose(random, 60),
    status,
  }));
  return [
    record('user', prose(random, 400)),
    ...call('Read', { file_path: file }, sourceCode(random, 6_000)),
    ...call('TodoWrite', { todos }, 'Todos have been modified'),
    ...call('Edit', { file_path: file, old_string, new_string }, `The file ${file} has been updated.`),
    ...call('Bash', { command: `npm test -- ${file}` }, commandOutput(random, 4_000), random.chance(0.3)),
    record('assistant', [{ type: 'text', text: prose(random, 900) }]),
  ];
}

/** What Claude Code writes at a compaction. */
function compaction(random, session) {
  const common = () => ({ uuid: random.hex(12), sessionId: session, isSidechain: false, cwd: FOLDER });
  const text = `This session is being continued from a previous conversation.\n${prose(random, 8_000)}`;
  return [
    {
      ...common(),
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      compactMetadata: { trigger: 'auto', preTokens: 155_000 },
    },
    { ...common(), type: 'user', isCompactSummary: true, message: { role: 'user', content: text } },
  ];
}

/**
 * Adds the records of these requests to a transcript.
 *
 * @param {{ compacted?: boolean }} [options] whether a compaction follows them
 */
export function growTranscript(path, random, session, requests, { compacted = false } = {}) {
  const records = Array.from({ length: requests }, (_, number) => recordsOf(random, session, number)).flat();
  const lines = [...records, ...(compacted ? compaction(random, session) : [])];
  appendFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
}
