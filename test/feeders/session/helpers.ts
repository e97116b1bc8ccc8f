import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Batch, Skipped, StagedSource } from '../../../src/core/contract.js';
import { locateDatabases } from '../../../src/feeders/session/locate.js';
import type { FiledSession, SessionOptions } from '../../../src/feeders/session/options.js';
import { stageSessions } from '../../../src/feeders/session/stage.js';
import { surveySessions } from '../../../src/feeders/session/survey.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { temporaryFolder } from '../../support/palace.js';

export { temporaryFolder };

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/opencode/${name}`, import.meta.url));
}

/** A copy that can be changed: an open WAL database has additional files. */
export function fixtureCopy(name: string): string {
  const copy = join(temporaryFolder(), name);
  cpSync(fixture(name), copy, { recursive: true });
  return copy;
}

export interface Run {
  batches: Batch[];
  sources: StagedSource[];
  skipped: Skipped[];
  /** Titles by session id are not unique: by title and id. */
  byTitle(title: string): StagedSource;
}

/** The feeder for some databases, with a record of filed sessions in place of the palace. */
export class Feeder {
  readonly cache = temporaryFolder();
  readonly filed = new Map<string, FiledSession>();
  readonly paths: string[];
  redact = true;

  constructor(...paths: string[]) {
    this.paths = paths;
  }

  async options(changes: Partial<SessionOptions> = {}): Promise<SessionOptions> {
    const home = temporaryFolder();
    const located = locateDatabases({
      db: this.paths,
      env: {},
      folders: { home, cache: home, data: home, config: home, state: home, palace: home },
    });
    return {
      databases: located.found,
      minMessages: 1,
      sessions: [],
      subagents: true,
      filed: this.filed,
      sanitiser: await createSanitiser({ redact: this.redact }),
      cache: this.cache,
      force: false,
      command: 'test',
      waitMs: 0,
      ...changes,
    };
  }

  async survey(changes: Partial<SessionOptions> = {}) {
    const survey = await surveySessions(await this.options(changes));
    survey.close();
    return survey;
  }

  async stage(changes: Partial<SessionOptions> = {}): Promise<Run> {
    const options = await this.options(changes);
    const batches = await stageSessions(await surveySessions(options), options);
    const sources = batches.flatMap((batch) => batch.sources);
    return {
      batches,
      sources,
      skipped: batches.flatMap((batch) => batch.skipped),
      byTitle: (title) => {
        const found = sources.filter((source) => source.title === title);
        if (found.length !== 1 || found[0] === undefined)
          throw new Error(`${found.length} sources are named ${title}`);
        return found[0];
      },
    };
  }

  /** Simulates mining: staged sessions are filed, contained ones are removed. */
  file(run: Run): void {
    for (const source of run.sources) {
      const { sourceKey, sessionId = '', wing, mtimeMs, directory } = source;
      this.filed.set(sourceKey, { sourceKey, sessionId, wing, mtimeMs, directory });
    }
    for (const { sourceKey } of run.batches.flatMap((batch) => batch.contained ?? []))
      this.filed.delete(sourceKey);
  }
}

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string() });
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().min(1),
  name: z.string(),
  input: z.unknown(),
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().min(1),
  content: z.string(),
  is_error: z.literal(true).optional(),
});
const transcriptLine = z.strictObject({
  parentUuid: z.uuid().nullable(),
  isSidechain: z.literal(false),
  userType: z.literal('external'),
  cwd: z.string(),
  sessionId: z.string(),
  version: z.string(),
  harness: z.literal('opencode'),
  type: z.enum(['user', 'assistant']),
  message: z.strictObject({
    role: z.enum(['user', 'assistant']),
    model: z.string().optional(),
    content: z.array(z.discriminatedUnion('type', [textBlock, toolUse, toolResult])).min(1),
  }),
  messageId: z.string().optional(),
  uuid: z.uuid(),
  timestamp: z.iso.datetime(),
});
export type TranscriptLine = z.infer<typeof transcriptLine>;

function parseTranscript(text: string): TranscriptLine[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => transcriptLine.parse(JSON.parse(line)));
}

export function readTranscript(source: StagedSource): TranscriptLine[] {
  return parseTranscript(readFileSync(source.path, 'utf8'));
}

/** Texts of a transcript's text blocks, without the header. */
export function textsOf(source: StagedSource): string[] {
  return readTranscript(source)
    .slice(1)
    .flatMap((line) => line.message.content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

export interface Turn {
  role: 'user' | 'assistant';
  texts: string[];
  calls: { name: string; result: string; isError: boolean }[];
}

/**
 * Reads a transcript like MemPalace's normaliser: successive answers form one turn; a user line with only
 * results belongs to the answer before it (and would be lost without one).
 *
 * @throws Error for a result without a call, a call without a result, or a line without its predecessor
 */
export function foldTurns(lines: readonly TranscriptLine[]): Turn[] {
  const turns: Turn[] = [];
  const open = new Map<string, Turn['calls'][number]>();
  const seen = new Set<string>();
  let parent: string | null = null;
  for (const { message, type, parentUuid, uuid } of lines) {
    if (parentUuid !== parent || type !== message.role) throw new Error(`line ${uuid} does not follow on`);
    parent = uuid;
    const last = turns.at(-1);
    const resultsOnly = message.content.every((block) => block.type === 'tool_result');
    const merged = (resultsOnly || type === 'assistant') && last?.role === 'assistant';
    if (resultsOnly && !merged) throw new Error(`results without an answer before them: ${uuid}`);
    if (!resultsOnly && open.size > 0)
      throw new Error(`a call is left without its result: ${[...open.keys()]}`);
    const turn: Turn = merged && last !== undefined ? last : { role: type, texts: [], calls: [] };
    if (turn !== last) turns.push(turn);
    for (const block of message.content) {
      if (block.type === 'text') turn.texts.push(block.text);
      else if (block.type === 'tool_use') {
        if (seen.has(block.id)) throw new Error(`two calls named ${block.id}`);
        seen.add(block.id);
        const call = { name: block.name, result: '', isError: false };
        turn.calls.push(call);
        open.set(block.id, call);
      } else {
        const call = open.get(block.tool_use_id);
        if (call === undefined) throw new Error(`a result without its call: ${block.tool_use_id}`);
        open.delete(block.tool_use_id);
        call.result = block.content;
        call.isError = block.is_error === true;
      }
    }
  }
  if (open.size > 0) throw new Error(`a call is left without its result: ${[...open.keys()]}`);
  return turns;
}
