import { estimateTokens } from '../reading/index.js';
import { TOOL_SETS } from './choice.js';
import { ALL_TOOLS, chooseTools } from './registry.js';
import type { Tool } from './tool.js';
import type { BuiltTool } from './tool-list.js';
import { listed } from './toolbox.js';

/** All tools, for `listEarly`. */
export function builtTools(): BuiltTool[] {
  return ALL_TOOLS.map((tool) => {
    const { name, core, set, writes } = tool;
    return { name, core, set, writes, listed: listed(tool) };
  });
}

/** All tools with their arguments and token costs, in Markdown, for docs/mcp.md. */
export function toolTable(): string {
  const rows = ALL_TOOLS.map((tool) => {
    const takes = Object.entries(tool.input.shape).map(([name, field]) =>
      field.safeParse(undefined).success ? `\`${name}\`` : `**\`${name}\`**`,
    );
    return `| \`${tool.name}\` | ${kindOf(tool)} | ${takes.join(' ')} | ${costOf([tool])} |`;
  });
  return [
    ['core', ...TOOL_SETS, 'all'].map(sizeOf).join(' '),
    '',
    '| tool | | takes (bold: needed) | tokens |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function sizeOf(choice: string): string {
  const tools = chooseTools(choice);
  return `\`${choice}\`: ${tools.length} tools, about ${costOf(tools)} tokens.`;
}

function kindOf({ core, set, writes, destructive }: Tool): string {
  return [core ? 'core' : (set ?? ''), destructive === true ? 'destroys' : writes ? 'writes' : '']
    .filter(Boolean)
    .join(', ');
}

/** Tokens that tools cost in an agent's context: name, description, arguments. */
function costOf(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => {
    const { name, description, inputSchema } = listed(tool);
    return sum + estimateTokens(JSON.stringify({ name, description, inputSchema }));
  }, 0);
}
