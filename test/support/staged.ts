import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Batch, StagedSource } from '../../src/core/contract.js';
import { sha256 } from '../../src/core/hash.js';

const PROJECT = { id: 'p1', root: '/somewhere/p1', rootCommit: null, folder: 'p1' };

/** Writes documents into a folder as a feeder stages them; complete by default. */
export function documentBatch(
  folder: string,
  documents: Record<string, string>,
  changes: { wing?: string; complete?: boolean; project?: typeof PROJECT; batch?: Partial<Batch> } = {},
): Batch {
  const project = changes.project ?? PROJECT;
  const wing = changes.wing ?? 'wing_a';
  const sources = Object.entries(documents).map(([name, text]): StagedSource => {
    const file = write(join(folder, wing, project.folder, name), text, 1_700_000_000_000);
    return {
      ...file,
      sourceKey: `doc:${project.id}/${name}`,
      sourceFile: `mempalace-docs/${wing}/${project.folder}/${name}`,
      origin: join(project.root, name),
      kind: 'document',
      wing,
      room: 'general',
      madeBy: 'sanitiser 1',
    };
  });
  const complete = changes.complete === false ? {} : { complete: { project: project.id, unread: [] } };
  return { sources, skipped: [], project, ...complete, ...changes.batch };
}

export interface Exchange {
  id: string;
  question: string;
  answer: string;
}

/** A transcript as the session feeder stages it. */
export function conversation(
  folder: string,
  sessionId: string,
  exchanges: readonly Exchange[],
  changes: Partial<StagedSource> = {},
): StagedSource {
  const header = `[session: About ${sessionId} | /work/shop | 2026-01-02]`;
  const rows = [
    row('user', 'header', header, sessionId),
    ...exchanges.flatMap(({ id, question, answer }) => [
      row('user', `${id}q`, question, sessionId),
      row('assistant', `${id}a`, answer, sessionId),
    ]),
  ];
  const mtimeMs = changes.mtimeMs ?? 1_700_000_000_000;
  return {
    ...write(join(folder, `${sessionId}.jsonl`), `${rows.join('\n')}\n`, mtimeMs),
    sourceKey: `opencode:${sessionId}`,
    sourceFile: `mempalace-session/wing_conversations/${sessionId}.jsonl`,
    origin: `opencode://${sessionId}`,
    kind: 'conversation',
    wing: 'wing_conversations',
    room: 'shop',
    title: `About ${sessionId}`,
    sessionId,
    directory: '/work/shop',
    madeBy: 'transcriber 1, sanitiser 1',
    ...changes,
  };
}

function row(role: 'user' | 'assistant', id: string, text: string, sessionId: string): string {
  return JSON.stringify({
    type: role,
    message: { role, content: [{ type: 'text', text }] },
    uuid: id,
    messageId: id,
    parentUuid: null,
    sessionId,
    timestamp: '2026-01-02T03:04:05.000Z',
    cwd: '/work/shop',
    version: '1.18.33',
    harness: 'opencode',
  });
}

function write(path: string, text: string, mtimeMs: number) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
  return { path, mtimeMs, bytes: Buffer.byteLength(text), hash: sha256(text) };
}
