import { readFileSync } from 'node:fs';
import type { ListToolsResult } from '@modelcontextprotocol/server';
import { isRecord } from '../core/json.js';
import { inPackage } from '../platform/in-package.js';
import { chosenFrom } from './choice.js';
import type { Tool } from './tool.js';

/** A tool as an agent sees it, and what decides whether it is offered. */
export interface BuiltTool extends Pick<Tool, 'name' | 'core' | 'set' | 'writes'> {
  listed: ListToolsResult['tools'][number];
}

/** All tools, written by the build. */
const TOOL_LIST = 'dist/tools.json';

/**
 * The answer to `tools/list`, sent before a broker is there or the tools are loaded: some clients begin without tools when
 * it comes late. A test compares it with the SDK's answer.
 *
 * @param message of a session that began with `initialize`
 * @returns undefined for every other message, and where the tools cannot be chosen: the server says why
 */
export function listEarly(
  { method, id, params = {} }: Record<string, unknown>,
  { tools, readOnly = false }: { tools: string; readOnly?: boolean | undefined },
): Record<string, unknown> | undefined {
  if (method !== 'tools/list' || id === undefined || !isRecord(params)) return undefined;
  const { _meta: meta = {}, ...page } = params;
  const isPlain = isRecord(meta) && Object.keys(meta).every((key) => key === 'progressToken');
  if (!isPlain || Object.keys(page).length > 0) return undefined;
  try {
    const built: BuiltTool[] = JSON.parse(readFileSync(inPackage(TOOL_LIST), 'utf8'));
    const offered = chosenFrom(built, tools).filter(({ writes }) => !(readOnly && writes));
    return { jsonrpc: '2.0', id, result: { tools: offered.map(({ listed }) => listed) } };
  } catch {
    return undefined;
  }
}
