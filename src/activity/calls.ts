import { callsOfScript } from './code-mode.js';
import { touchesOfCommand } from './commands.js';
import { type Fields, fieldsOf, listField, textField, toolName } from './fields.js';
import { touchesOfPatch } from './patch.js';
import { type TodoChange, todoChangeOf } from './todos.js';
import type { FileAction, FileTouch } from './types.js';

/** What a call of a tool does, as far as its name and input say it. */
export interface CallMeaning {
  tool: string;
  touches: FileTouch[];
  command?: string | undefined;
  todos?: TodoChange | undefined;
}

/** Tools that access one file, or those of a list, by their name in lower case without punctuation. */
const FILE_TOOLS: ReadonlyMap<string, FileAction> = new Map([
  ...['read', 'readfile', 'readmanyfiles', 'readmediafile', 'notebookread', 'view', 'viewimage'].map(
    (tool) => [tool, 'read'] as const,
  ),
  ...['write', 'writefile', 'create', 'createfile'].map((tool) => [tool, 'written'] as const),
  ...['edit', 'multiedit', 'notebookedit', 'replace', 'strreplace', 'strreplacefile'].map(
    (tool) => [tool, 'edited'] as const,
  ),
  ...['deletefile', 'removefile'].map((tool) => [tool, 'deleted'] as const),
]);
const PATH_FIELDS = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'filename'];
const PATH_LISTS = ['paths', 'file_paths', 'include'];
const PATTERN = /[*?[\]{}]/;

/** Anthropic's text editor tool: its field `command` names the action. */
const EDITORS = new Set(['strreplaceeditor', 'strreplacebasededittool']);
const EDITOR_ACTIONS: ReadonlyMap<string, FileAction> = new Map([
  ['view', 'read'],
  ['create', 'written'],
  ['str_replace', 'edited'],
  ['insert', 'edited'],
]);

const PATCH_TOOLS = new Set(['applypatch', 'patch']);
const PATCH_FIELDS = ['input', 'patchText', 'patch'];

/** Tools that run a command, each in a shell of its own, in the session's folder. */
const FRESH_SHELLS = new Set(['shell', 'localshell', 'execcommand', 'runshellcommand', 'containerexec']);
/** Their shell may be in any folder by now. */
const LASTING_SHELLS = new Set(['bash', 'powershell', 'cmd']);
const COMMAND_FIELDS = ['command', 'cmd', 'script'];
const FOLDER_FIELDS = ['workdir', 'cwd', 'directory', 'dir_path'];

const ABSOLUTE = /^(?:\/|~\/|[A-Za-z]:[\\/])/;
const MOST_OF_A_COMMAND = 2_000;
/** UTF-16 units; a longer text is not a path. */
const LONGEST_PATH = 1_024;

/** What a call does. @param input as the harness recorded it: any JSON; what it does not say is not guessed */
export function meaningOf(name: string, input: unknown): CallMeaning {
  const given = toolName(name);
  const { tool = given, touches, command, todos } = deed(given, input);
  return { tool, touches: touches.filter(({ path, from }) => isPath(path) && isPath(from)), command, todos };
}

function deed(tool: string, input: unknown): Partial<CallMeaning> & Pick<CallMeaning, 'touches'> {
  const fields = fieldsOf(input);
  const action = FILE_TOOLS.get(tool);
  if (action !== undefined) return { touches: pathsOf(fields).map((path) => ({ path, action })) };
  if (EDITORS.has(tool)) {
    const done = EDITOR_ACTIONS.get(textField(fields, ['command']) ?? '');
    return { touches: done === undefined ? [] : pathsOf(fields).map((path) => ({ path, action: done })) };
  }
  if (PATCH_TOOLS.has(tool)) return { touches: touchesOfPatch(given(input, fields, PATCH_FIELDS) ?? '') };
  if (tool === 'exec' && typeof input === 'string') return ofScript(input);
  if (FRESH_SHELLS.has(tool) || LASTING_SHELLS.has(tool)) return ofCommand(tool, input, fields);
  return { touches: [], todos: todoChangeOf(tool, input) };
}

function pathsOf(fields: Fields): string[] {
  const path = textField(fields, PATH_FIELDS);
  if (path !== undefined) return [path];
  const paths = listField(fields, PATH_LISTS) ?? [];
  return paths.filter((each): each is string => typeof each === 'string' && !PATTERN.test(each));
}

function given(input: unknown, fields: Fields, names: readonly string[]): string | undefined {
  return typeof input === 'string' ? input : textField(fields, names);
}

function ofScript(script: string): Partial<CallMeaning> & Pick<CallMeaning, 'touches'> {
  const { commands, patches, plan } = callsOfScript(script);
  const todos = plan && todoChangeOf('updateplan', { plan });
  const touches = [...patches.flatMap(touchesOfPatch), ...commands.flatMap(touchesOfCommand)];
  if (commands.length === 0) return { touches, todos };
  return { tool: 'shell', command: short(commands.join('\n')), touches, todos };
}

function ofCommand(tool: string, input: unknown, fields: Fields) {
  const command = commandOf(input, fields);
  const folder = textField(fields, FOLDER_FIELDS);
  const touches = touchesOfCommand(command ?? '').flatMap((touch) => {
    if (folder !== undefined && ABSOLUTE.test(folder)) return [inFolder(touch, folder)];
    return FRESH_SHELLS.has(tool) || ABSOLUTE.test(touch.path) ? [touch] : [];
  });
  return { tool: 'shell', command: command && short(command), touches };
}

/** A list is a program with its arguments, mostly `bash -lc <command>`. */
function commandOf(input: unknown, fields: Fields): string | undefined {
  const words = listField(fields, COMMAND_FIELDS)?.filter((word) => typeof word === 'string');
  if (words === undefined) return given(input, fields, COMMAND_FIELDS);
  return /^-l?c$/.test(words[1] ?? '') ? words[2] : words.join(' ');
}

function inFolder(touch: FileTouch, folder: string): FileTouch {
  const below = (path: string) => (ABSOLUTE.test(path) ? path : `${folder.replace(/\/+$/, '')}/${path}`);
  const { from } = touch;
  return { ...touch, path: below(touch.path), ...(from === undefined ? {} : { from: below(from) }) };
}

function isPath(path = 'none'): boolean {
  return path !== '' && path.length <= LONGEST_PATH && !/[\n\0]/.test(path);
}

const short = (command: string): string => command.trim().slice(0, MOST_OF_A_COMMAND);
