/** Turns a plan into rows as opencode 1.18.33 writes them, one at a time. */
import { createIds, VERSION } from './opencode-schema.mjs';
import { codeLine, commandOutput, filePath, identifier, prose, sourceCode, title } from './prose.mjs';
import { ACTIONS, ADJECTIVES, PROJECTS, STEMS, TECHNOLOGIES } from './vocabulary.mjs';

/** 2026-01-05 08:00 UTC: every time is counted from here. */
export const EPOCH_MS = Date.UTC(2026, 0, 5, 8);
/** One session about every 100 minutes: 140 in ten days. */
const SESSION_GAP_MS = 100 * 60_000;

const MODEL = { providerID: 'local', modelID: 'coder-large' };

/** Rows of `project`: folders with git have their own id, the others share `global`. */
export function planProjects(random) {
  const projects = PROJECTS.map((name, index) => {
    const git = index < PROJECTS.length - 2;
    return { id: git ? random.hex(40) : 'global', git, directory: `/home/dev/proj/${name}` };
  });
  const rows = projects.filter((project) => project.git).map(({ id, directory }) => [id, directory, 'git']);
  return { projects, rows: [...rows, ['global', '/', null]] };
}

/** `size` characters of numbered source lines, as the read tool prints them. */
function readOutput(random, path, size) {
  const lines = [];
  let length = 0;
  while (length < size) {
    const line = `${lines.length + 1}: ${codeLine(random)}`;
    lines.push(line);
    length += line.length + 1;
  }
  return `<path>${path}</path>\n<type>file</type>\n<content>\n${lines.join('\n')}\n\n(End of file - total ${lines.length} lines)\n</content>`;
}

function grepOutput(random, directory, size) {
  const blocks = [];
  let [length, matches] = [0, 0];
  while (length < size) {
    const lines = Array.from({ length: random.between(1, 4) }, () => {
      return `  Line ${random.between(1, 900)}: ${codeLine(random).trim()}`;
    });
    matches += lines.length;
    blocks.push(`${directory}/${filePath(random)}:\n${lines.join('\n')}\n`);
    length += blocks[blocks.length - 1].length;
  }
  return [`Found ${matches} matches\n${blocks.join('\n')}`, matches];
}

/** Input, output, title and metadata of one completed call; sizes in characters. */
function toolCall(random, part, directory) {
  const path = `${directory}/${filePath(random)}`;
  switch (part.tool) {
    case 'bash': {
      const wanted = sourceCode(random, part.input).replaceAll('\n', ' ; ');
      const command = `${random.pick(['npm', 'git', 'docker', 'make', 'grep', 'curl', 'pytest'])} ${wanted}`;
      const output = `${commandOutput(random, part.output)}\n`;
      const description = `${random.pick(ACTIONS)}s the ${random.pick(ADJECTIVES)} ${random.pick(STEMS)}`;
      const repeated = output.length <= 60_000 ? { output } : {};
      const metadata = { ...repeated, exit: random.chance(0.1) ? 1 : 0, truncated: false };
      return { input: { command, description }, output, title: description, metadata };
    }
    case 'read': {
      const output = readOutput(random, path, part.output);
      const metadata = { preview: output.slice(0, 400), truncated: false, loaded: [] };
      return { input: { filePath: path }, output, title: path, metadata };
    }
    case 'grep': {
      const pattern = identifier(random);
      const [output, matches] = grepOutput(random, directory, part.output);
      return {
        input: { pattern, path: directory },
        output,
        title: pattern,
        metadata: { matches, truncated: false },
      };
    }
    case 'write': {
      const input = { filePath: path, content: sourceCode(random, part.input) };
      const output =
        part.output > 0 ? commandOutput(random, part.output) : `Wrote ${input.content.length} characters.`;
      return { input, output, title: path, metadata: { exists: false, truncated: false } };
    }
    default: {
      const half = Math.ceil(part.input / 2);
      const oldString = sourceCode(random, half);
      const newString = sourceCode(random, half);
      return {
        input: { filePath: path, oldString, newString },
        output: 'Edit applied successfully.',
        title: path,
        metadata: { diagnostics: {}, truncated: false },
      };
    }
  }
}

function toolPart(random, part, directory, callID, start) {
  const call = toolCall(random, part, directory);
  const time = { start, end: start + random.between(8, 9000) };
  const base = { type: 'tool', tool: part.tool, callID };
  if (part.tool !== 'bash' && random.chance(0.03)) {
    const error = `File not found: ${directory}/${filePath(random)}`;
    return { ...base, state: { status: 'error', input: call.input, error, time } };
  }
  return { ...base, state: { status: 'completed', ...call, time } };
}

function partData(random, part, context) {
  switch (part.type) {
    case 'text': {
      const time = { start: context.timeMs, end: context.timeMs + 900 };
      const spoken = { type: 'text', text: prose(random, part.text) };
      if (part.synthetic) return { ...spoken, synthetic: true };
      return context.role === 'user' ? spoken : { ...spoken, time };
    }
    case 'reasoning':
      return {
        type: 'reasoning',
        text: prose(random, part.text),
        time: { start: context.timeMs, end: context.timeMs + 700 },
      };
    case 'tool':
      return toolPart(random, part, context.directory, `call_${random.hex(16)}`, context.timeMs);
    case 'file': {
      const path = filePath(random);
      return {
        type: 'file',
        mime: 'text/plain',
        filename: path.slice(path.lastIndexOf('/') + 1),
        url: `file://${context.directory}/${path}`,
      };
    }
    case 'patch':
      return { type: 'patch', hash: random.hex(40), files: [`${context.directory}/${filePath(random)}`] };
    case 'step-finish':
      return {
        type: 'step-finish',
        reason: 'stop',
        snapshot: random.hex(40),
        cost: 0,
        tokens: context.tokens,
      };
    default:
      return { type: 'step-start', snapshot: random.hex(40) };
  }
}

function messageData(message, context) {
  if (message.role === 'user') {
    const time = { created: context.timeMs };
    return { role: 'user', time, agent: 'build', model: MODEL, summary: { diffs: [] } };
  }
  return {
    parentID: context.parentID,
    role: 'assistant',
    mode: 'build',
    agent: 'build',
    path: { cwd: context.directory, root: context.directory },
    cost: 0,
    tokens: context.tokens,
    ...MODEL,
    time: { created: context.timeMs, completed: context.timeMs + 1500 },
    finish: context.last ? 'stop' : 'tool-calls',
  };
}

function sessionTitle(random, kind, timeMs) {
  if (kind === 'empty' || kind === 'abandoned') return `New session - ${new Date(timeMs).toISOString()}`;
  return kind === 'subagent' ? `${title(random)} (@general subagent)` : title(random);
}

/**
 * Yields `['session' | 'message' | 'part', values]` in the order they can be inserted; only one row is in
 * memory at a time. Values are in the order of the columns named in `generate-opencode.mjs`.
 */
export function* sessionRows(random, plan, projects) {
  const ids = createIds(random);
  let parent = null;
  for (const [index, session] of plan.entries()) {
    const project = random.pick(projects);
    const { directory } = project;
    const created = EPOCH_MS + index * SESSION_GAP_MS + random.between(0, 20 * 60_000);
    const sessionId = ids.session(created);
    const parentId = session.kind === 'subagent' ? parent : null;
    if (session.kind === 'qualifying') parent = sessionId;
    let timeMs = created;
    const times = session.messages.map((message) => {
      timeMs += message.role === 'user' ? random.between(5000, 240_000) : random.between(2000, 30_000);
      return timeMs;
    });
    const slug = `${random.pick(ADJECTIVES)}-${random
      .pick(TECHNOLOGIES)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')}`;
    const name = sessionTitle(random, session.kind, created);
    const model = JSON.stringify({ id: MODEL.modelID, providerID: MODEL.providerID, variant: 'default' });
    yield [
      'session',
      [sessionId, project.id, parentId, slug, directory, name, VERSION, model, created, timeMs + 1500],
    ];

    let parentID;
    for (const [position, message] of session.messages.entries()) {
      const started = times[position] ?? created;
      const messageId = ids.message(started);
      if (message.role === 'user') parentID = messageId;
      const total = random.between(4000, 90_000);
      const tokens = { total, input: total - 40, output: 40, reasoning: 0, cache: { read: 0, write: 0 } };
      const last = session.messages[position + 1]?.role !== 'assistant';
      const context = { role: message.role, directory, timeMs: started, parentID, tokens, last };
      const data = JSON.stringify(messageData(message, context));
      yield ['message', [messageId, sessionId, started, started + 1500, data]];
      for (const [offset, part] of message.parts.entries()) {
        const at = started + offset + 1;
        const body = JSON.stringify(partData(random, part, context));
        yield ['part', [ids.part(at), messageId, sessionId, at, at + 5, body]];
      }
    }
  }
}
