import { type Fields, fieldsOf, listField, textField } from './fields.js';
import type { Todo, TodoStatus } from './types.js';

const STATUSES: Readonly<Record<string, TodoStatus>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
};

/** Tools that give the whole list: Claude Code, opencode, Codex, Gemini CLI, Qwen Code, Kimi CLI and Kimi Code, Copilot CLI. */
const LIST_TOOLS = new Set([
  'todowrite',
  'updateplan',
  'writetodos',
  'settodolist',
  'todolist',
  'updatetodo',
]);
const TEXTS = ['content', 'step', 'description', 'title', 'text'];
const CHECKBOX = /^\s*[-*] \[([ xX])\] (.+)$/;

export type TodoChange =
  | { kind: 'all'; todos: Todo[] }
  | { kind: 'new'; text: string }
  | { kind: 'update'; id: string; text: string | undefined; status: string | undefined };

/** @param tool the tool's name in lower case without punctuation */
export function todoChangeOf(tool: string, input: unknown): TodoChange | undefined {
  const fields = fieldsOf(input);
  if (tool === 'taskcreate') {
    const text = textField(fields, ['subject']);
    return text === undefined ? undefined : { kind: 'new', text };
  }
  if (tool === 'taskupdate') {
    const id = textField(fields, ['taskId']);
    const [text, status] = [textField(fields, ['subject']), textField(fields, ['status'])];
    return id === undefined ? undefined : { kind: 'update', id, text, status };
  }
  return LIST_TOOLS.has(tool) ? wholeList(fields) : undefined;
}

/** Undefined for a call without a list, which only asks for it. */
function wholeList(fields: Fields): TodoChange | undefined {
  const items = listField(fields, ['todos', 'plan']);
  const written = textField(fields, ['todos']);
  if (items !== undefined)
    return { kind: 'all', todos: items.flatMap((item) => todoOf(fieldsOf(item)) ?? []) };
  if (written === undefined) return undefined;
  const boxes = written.split('\n').flatMap((line) => {
    const [, mark, text] = CHECKBOX.exec(line) ?? [];
    return text === undefined ? [] : [{ text, status: mark === ' ' ? 'pending' : 'completed' } as const];
  });
  return { kind: 'all', todos: boxes };
}

function todoOf(fields: Fields): Todo | undefined {
  const text = textField(fields, TEXTS);
  return text === undefined ? undefined : { text, status: statusOf(fields.status) ?? 'pending' };
}

function statusOf(status: unknown): TodoStatus | undefined {
  // Early releases of Kimi CLI write `In Progress`.
  const name = typeof status === 'string' ? status.toLowerCase().replace(/[\s-]+/g, '_') : '';
  return Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined;
}

export class TodoList {
  #items: { id: string; todo: Todo }[] = [];

  get todos(): Todo[] {
    return this.#items.map(({ todo }) => ({ ...todo }));
  }

  /** @param result the text that the tool returned; contains the number of a new item */
  apply(change: TodoChange, result: string): void {
    if (change.kind === 'all') {
      this.#items = change.todos.map((todo, index) => ({ id: String(index + 1), todo }));
    } else if (change.kind === 'new') {
      const id = /#(\d+)/.exec(result)?.[1] ?? String(this.#items.length + 1);
      this.#items.push({ id, todo: { text: change.text, status: 'pending' } });
    } else {
      this.#update(change);
    }
  }

  #update({ id, text, status }: Extract<TodoChange, { kind: 'update' }>): void {
    if (status === 'deleted') this.#items = this.#items.filter((item) => item.id !== id);
    const found = this.#items.find((item) => item.id === id)?.todo;
    if (found === undefined) return;
    found.text = text ?? found.text;
    found.status = statusOf(status) ?? found.status;
  }
}
