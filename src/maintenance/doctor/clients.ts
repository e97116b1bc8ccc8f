import { existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { readTokenFile } from '../../broker/tokens.js';
import { CLIENTS, type Client } from '../../clients/index.js';
import { isRecord } from '../../core/json.js';
import { textIfAny } from '../../platform/read-text.js';
import { type DoctorContext, type Found, failure, ok, warn } from './context.js';

const OTHERS = 0o077;

/** What the agents of this user start, or which server they ask. A server is not contacted. */
export function checkClients({ env, folders }: DoctorContext): Found[] {
  const places = { home: folders.home, config: folders.config, env, exists: existsSync };
  return CLIENTS.flatMap((client) => {
    const file = client.file(places);
    try {
      return findingsOf(client, file);
    } catch (error) {
      return [failure(error, `mempalace mcp print ${client.id} shows the entry`)];
    }
  });
}

function findingsOf({ id, name, entryIn }: Client, file: string): Found[] {
  const text = textIfAny(file);
  const entry = text === undefined ? undefined : entryIn(text);
  if (text === undefined || !isRecord(entry)) return [];
  if (typeof entry.url === 'string') {
    const [, tokenFile] = /\{file:([^}]+)\}/.exec(JSON.stringify(entry)) ?? [];
    if (tokenFile !== undefined && isAbsolute(tokenFile)) return [tokenFinding(name, entry.url, tokenFile)];
    const isLiteral = /"Bearer\s+[^${"]/i.test(JSON.stringify(entry));
    if (isLiteral && (statSync(file).mode & OTHERS) !== 0)
      return [warn(`${file} contains a token, and other users may read it`, `chmod 600 ${file}`)];
    return [ok(`${name} asks ${entry.url}`)];
  }
  const [program] = [entry.command].flat();
  if (typeof program !== 'string') return [];
  if (isAbsolute(program) && !existsSync(program))
    return [warn(`${name} starts ${program}, which does not exist`, `run mempalace mcp install ${id} again`)];
  return [ok(`${name} starts ${program}`)];
}

/** @throws UserError `config` for a file that others may read */
function tokenFinding(name: string, url: string, file: string): Found {
  if (readTokenFile(file) !== undefined) return ok(`${name} asks ${url}`);
  return warn(
    `${name} asks ${url} with the token in ${file}, which does not exist`,
    'mempalace serve token add <name>, on the server, prints a token',
  );
}
