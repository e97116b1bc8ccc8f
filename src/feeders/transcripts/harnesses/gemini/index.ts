import { basename, dirname, join } from 'node:path';
import * as field from '../../../../core/fields.js';
import { sha256 } from '../../../../core/hash.js';
import type { ConversationFiles, FileHead, Harness, Identity, OriginFile } from '../../harness.js';
import { readHead } from '../../head.js';
import { homeOf } from '../../homes.js';
import { sideJson, sideText } from '../../records.js';
import { withRewinds } from '../../rewinds.js';
import { steps } from './steps.js';

/** The beginning of a session that is one JSON value. */
const PRETTY = /^\s*\{\s*"(?:sessionId|projectHash)"\s*:/;

/**
 * Sessions of Gemini CLI (`~/.gemini/tmp/<project>/chats/session-*`): one JSON value before 0.39, a log since then.
 * Also the form that MemPalace reads: `session_metadata`, then `user` and `gemini` records.
 */
export const gemini: Harness = {
  name: 'gemini',
  label: 'Gemini CLI',
  places: (env) => [join(homeOf(env, 'GEMINI_CLI_HOME', ''), '.gemini', 'tmp')],
  patterns: ['**/*.jsonl', '**/session-*.json'],
  recognises: (head) => headerOf(head) !== undefined,
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  joinsFiles: true,
  async *read(conversation) {
    const files = await inOrder(conversation);
    yield* withRewinds(() => steps(conversation, files));
  },
};

interface Header {
  sessionId: string | undefined;
  projectHash?: string | undefined;
  startTime: string | undefined;
  directory?: string | undefined;
}

function headerOf({ records, beginning }: FileHead): Header | undefined {
  for (const json of records) {
    const sessionId = field.name(json, 'sessionId');
    const startTime = field.text(json, 'startTime');
    const header = field.object(json) ?? {};
    if ('sessionId' in header && 'projectHash' in header) {
      const directories = field.list(header, 'directories');
      const [directory] = directories.every((each) => typeof each === 'string') ? directories : [];
      return {
        sessionId,
        projectHash: field.name(header, 'projectHash'),
        startTime,
        directory: field.text(directory),
      };
    }
    if (header.type === 'session_metadata')
      return {
        sessionId: sessionId ?? field.name(json, 'session_id'),
        startTime: startTime ?? field.text(json, 'timestamp'),
      };
  }
  if (!PRETTY.test(beginning)) return undefined;
  const value = (name: string) => new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,200})"`).exec(beginning)?.[1];
  const [sessionId, projectHash] = [value('sessionId'), value('projectHash')];
  if (sessionId === undefined || projectHash === undefined) return undefined;
  return { sessionId, projectHash, startTime: value('startTime') };
}

function identityOf(head: FileHead): Identity {
  const found = headerOf(head);
  if (found === undefined) return { sessionId: undefined };
  const { sessionId, projectHash, startTime, directory } = found;
  const folder = dirname(head.path);
  // A sub-agent's log is in a folder below the chats, named after the session.
  const nested = basename(dirname(folder)) === 'chats';
  const project = nested ? dirname(dirname(folder)) : dirname(folder);
  return {
    sessionId: nested ? basename(folder) : sessionId,
    agentId: nested ? (sessionId ?? basename(head.path, '.jsonl')) : undefined,
    cwd: workFolder(project, projectHash) ?? directory,
    begun: startTime,
  };
}

/** The folder is named after the project, or after the hash of its path. */
function workFolder(project: string, hash: string | undefined): string | undefined {
  const root = sideText(join(project, '.project_root'))?.trim();
  if (root) return root;
  const all = Object.entries(
    field.object(sideJson(join(dirname(dirname(project)), 'projects.json')), 'projects') ?? {},
  );
  const bySlug = all.find(([, slug]) => slug === basename(project));
  return (bySlug ?? all.find(([path]) => hash !== undefined && sha256(path) === hash))?.[0];
}

/** Sorts files by their start times: a copied file has a new mtime. */
async function inOrder({ files }: ConversationFiles): Promise<OriginFile[]> {
  const begun = files.map(async (file) => {
    const started = files.length < 2 ? undefined : headerOf(await readHead(file.path))?.startTime;
    return { file, key: `${started ?? ''}\0${file.path}` };
  });
  return (await Promise.all(begun)).sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ file }) => file);
}
