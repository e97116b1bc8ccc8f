import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './files-in.js';

/** 2026-03-04T05:06:07Z, in seconds. */
export const AT = 1_772_600_767;

/** Writes files into a new folder and returns it; their mtime is that of the test. */
export function writtenBelow(files: Record<string, string>, given?: string): string {
  const folder = filesIn(files, given);
  for (const name of Object.keys(files)) utimesSync(join(folder, name), AT, AT);
  return folder;
}

interface Said {
  id: string;
  parent?: string | undefined;
  text: string;
  role?: string;
}

/** A conversation as ChatGPT exports it: messages of user and assistant in turn, unless a `role` is given. */
export function chatGptConversation(id: string, said: readonly Said[], updated = AT) {
  const mapping: Record<string, unknown> = {
    root: { id: 'root', message: null, parent: null, children: childrenOf('root', said) },
  };
  for (const [index, { id: node, parent, text, role }] of said.entries())
    mapping[node] = {
      id: node,
      parent: parent ?? 'root',
      children: childrenOf(node, said),
      message: {
        id: node,
        author: { role: role ?? (index % 2 === 0 ? 'user' : 'assistant'), name: null, metadata: {} },
        create_time: AT + index,
        content: { content_type: 'text', parts: [text] },
        recipient: 'all',
        metadata: {},
      },
    };
  return {
    title: `About ${id}`,
    create_time: AT,
    update_time: updated,
    mapping,
    current_node: said.at(-1)?.id,
    conversation_id: id,
    id,
  };
}

function childrenOf(id: string, said: readonly Said[]): string[] {
  return said.filter(({ parent = 'root' }) => parent === id).map((each) => each.id);
}

/** One message after the other. */
export function inTurn(...texts: string[]): Said[] {
  return texts.map((text, index) => ({
    id: `m${index}`,
    parent: index === 0 ? undefined : `m${index - 1}`,
    text,
  }));
}

/** A conversation as Claude.ai exports it. */
export function claudeConversation(uuid: string, texts: readonly string[], updated = AT) {
  return {
    uuid,
    name: `About ${uuid}`,
    summary: '',
    created_at: iso(AT),
    updated_at: iso(updated),
    account: { uuid: 'account' },
    chat_messages: texts.map((text, index) => ({
      uuid: `${uuid}-${index}`,
      text,
      content: [{ type: 'text', text, citations: [] }] as object[],
      sender: index % 2 === 0 ? 'human' : 'assistant',
      created_at: iso(AT + index),
      attachments: [] as object[],
      files: [] as object[],
    })),
  };
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The users of a Slack export. */
export const SLACK_USERS = JSON.stringify([
  { id: 'U1', name: 'ann', real_name: 'Ann Ames', profile: { display_name: 'Ann' } },
  { id: 'U2', name: 'bob', real_name: 'Bob Brown', profile: { display_name: '' } },
]);

/** A message of a Slack export, this number of seconds after `AT`. */
export function slackMessage(after: number, text: string, more: object = { user: 'U1' }) {
  return { type: 'message', ts: `${AT + after}.000200`, text, ...more };
}
