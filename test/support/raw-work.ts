import Database from 'better-sqlite3';

/**
 * What a session's raw records say of the work: read here from the formats that the programs document or write, without
 * any reader of the product, so that both can be compared.
 */
export interface RawWork {
  /** The last request of the user. */
  ask: string;
  /** Open items of the program's own list. */
  todos: string[];
  /** Files that calls changed, by their names. */
  changed: string[];
  /** Files that only failed calls would have changed. */
  unchanged: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: raw records are read without schemas on purpose.
type Json = any;

const nameOf = (path: string): string => path.replace(/.*[\\/]/, '');

/** Places a record may be cut at: each is one that ends a compaction. */
export const isCompaction: Record<string, (record: Json) => boolean> = {
  'claude-code': ({ isCompactSummary }) => isCompactSummary === true,
  codex: ({ type }) => type === 'compacted',
  pi: ({ type }) => type === 'compaction',
};

class Calls {
  readonly #pending = new Map<string, { files: string[] }>();
  readonly #changed = new Set<string>();
  readonly #failed = new Set<string>();

  call(id: string, files: readonly string[]): void {
    this.#pending.set(id, { files: files.map(nameOf) });
  }

  result(id: string, failed: boolean): void {
    for (const file of this.#pending.get(id)?.files ?? []) (failed ? this.#failed : this.#changed).add(file);
  }

  get files(): Pick<RawWork, 'changed' | 'unchanged'> {
    return {
      changed: [...this.#changed],
      unchanged: [...this.#failed].filter((file) => !this.#changed.has(file)),
    };
  }
}

const filesOfPatch = (patch: string): string[] =>
  [...patch.matchAll(/\*\*\* (?:Add|Update|Delete) File: ([^\n\\]+)/g)].map(([, file = '']) => file);

function ofClaude(records: readonly Json[]): RawWork {
  let ask = '';
  let todos: string[] = [];
  const calls = new Calls();
  for (const { type, isMeta, isCompactSummary, isSidechain, message, attachment } of records) {
    if (isSidechain === true) continue;
    if (type === 'attachment' && attachment.commandMode === 'prompt') ask = attachment.prompt;
    const content: Json[] =
      typeof message?.content === 'string'
        ? [{ type: 'text', text: message.content }]
        : (message?.content ?? []);
    for (const block of content) {
      const { type: kind, text, id, name, input } = block;
      if (kind === 'tool_use' && /^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(name))
        calls.call(id, [input.file_path ?? input.notebook_path]);
      if (kind === 'tool_use' && name === 'TodoWrite')
        todos = input.todos
          .filter(({ status }: Json) => status !== 'completed')
          .map((each: Json) => each.content);
      if (kind === 'tool_result') calls.result(block.tool_use_id, block.is_error === true);
      if (kind === 'text' && type === 'user' && isMeta !== true && isCompactSummary !== true)
        if (!/^(?:<(?:command|local-command|bash|task)-|\[Request interrupted)/.test(text)) ask = text;
    }
  }
  return { ask, todos, ...calls.files };
}

function ofCodex(records: readonly Json[]): RawWork {
  let ask = '';
  let todos: string[] = [];
  const calls = new Calls();
  for (const { type, payload } of records) {
    if (type !== 'response_item') continue;
    const { type: kind, role, content, call_id: id, name } = payload;
    if (kind === 'message' && role === 'user') {
      const said = content
        .map(({ text }: Json) => text)
        .filter((text: string) => !/^\s*(?:<\w+>|# AGENTS\.md)/.test(text));
      if (said.length > 0) ask = said.join('\n');
    }
    const given: string = payload.arguments ?? payload.input ?? '';
    if (/_call$/.test(kind)) calls.call(id, filesOfPatch(given));
    if (/_call$/.test(kind) && name === 'update_plan')
      todos = JSON.parse(given)
        .plan.filter(({ status }: Json) => status !== 'completed')
        .map(({ step }: Json) => step);
    if (/_call_output$/.test(kind)) {
      const failed =
        /Script (?:failed|error)|verification failed|exit_code"?:\s*[1-9]|exited with code [1-9]/;
      calls.result(id, failed.test(JSON.stringify(payload.output)));
    }
  }
  return { ask, todos, ...calls.files };
}

/** A skill is recorded with its text after its name. What looks like a program's reminder is left out everywhere. */
const typedIn = (text: string): string =>
  text
    .replace(/^<skill name="(.+?)"[\s\S]*<\/skill>\s*/, '/skill:$1 ')
    .replace(/<system-reminder>.*?<\/system-reminder>/gs, '');

function ofPi(records: readonly Json[]): RawWork {
  let ask = '';
  const calls = new Calls();
  for (const { type, message } of records) {
    if (type !== 'message') continue;
    const content: Json[] =
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content }]
        : (message.content ?? []);
    if (message.role === 'user') ask = typedIn(content.map(({ text }) => text ?? '').join('\n'));
    if (message.role === 'toolResult') calls.result(message.toolCallId, message.isError === true);
    for (const { type: kind, id, name, arguments: given } of content)
      if (kind === 'toolCall' && /^(?:edit|write)$/.test(name)) calls.call(id, [given.path]);
  }
  return { ask, todos: [], ...calls.files };
}

export const rawWork: Record<string, (records: readonly Json[]) => RawWork> = {
  'claude-code': ofClaude,
  codex: ofCodex,
  pi: ofPi,
};

/** `opencode run` puts quotes around several words. */
const unquoted = (text: string): string => /^"(.*)"$/s.exec(text.trim())?.[1]?.replaceAll('\\"', '"') ?? text;

const toolsOfFiles = /^(?:edit|write|multiedit|apply_patch|patch)$/;

function ofOpencode(messages: readonly { role: string; parts: Json[] }[]): RawWork {
  let ask = '';
  let todos: Json[] = [];
  const calls = new Calls();
  for (const { role, parts } of messages) {
    const said = parts.flatMap(({ type, text, prompt, synthetic, ignored }) => {
      if (synthetic || ignored) return [];
      return type === 'text' ? unquoted(text) : type === 'subtask' ? prompt : [];
    });
    if (role === 'user' && said.length > 0) ask = said.join('\n');
    for (const { type, tool, state, callID } of parts) {
      if (type !== 'tool') continue;
      const { filePath, patchText = '' } = state.input ?? {};
      if (tool === 'todowrite' && state.status === 'completed') todos = state.input.todos;
      if (!toolsOfFiles.test(tool)) continue;
      calls.call(callID, filePath === undefined ? filesOfPatch(patchText) : [filePath]);
      calls.result(callID, state.status !== 'completed');
    }
  }
  return { ask, todos: openOnes(todos), ...calls.files };
}

const openOnes = (items: Json[]): string[] =>
  items.filter(({ status }) => /pending|in_progress/.test(status)).map(({ content }) => content);

/** The sessions of opencode's database. @param path of a copy: it is opened for writing */
export function rawOpencodeWork(path: string): (RawWork & { id: string; isCompacted: boolean })[] {
  const database = new Database(path);
  const all = (sql: string, id: string): Json[] => database.prepare(sql).all(id);
  const sessions = database.prepare('SELECT id, revert FROM session WHERE parent_id IS NULL').all();
  const works = sessions.map(({ id, revert }: Json) => {
    const undone: Json = JSON.parse(revert ?? 'null');
    const rows = all('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id', id);
    const until = undone === null ? rows.length : rows.findIndex((row) => row.id === undone.messageID);
    const messages = rows.slice(0, until).map((row) => ({
      role: JSON.parse(row.data).role,
      parts: all('SELECT data FROM part WHERE message_id = ? ORDER BY id', row.id).map((each) =>
        JSON.parse(each.data),
      ),
    }));
    const isCompacted = messages.some(({ parts }) => parts.some(({ type }) => type === 'compaction'));
    const work = ofOpencode(messages);
    // The program's own list; a fork has none.
    const listed = all('SELECT content, status FROM todo WHERE session_id = ? ORDER BY position', id);
    return { ...work, id, isCompacted, todos: listed.length > 0 ? openOnes(listed) : work.todos };
  });
  database.close();
  return works;
}
