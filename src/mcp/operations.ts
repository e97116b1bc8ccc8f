import type { z } from 'zod';
import { toolOf } from '../adapters/mcp.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import type { AnyOperation } from '../operations/operation.js';
import { defineTool, type Tool } from './tool.js';

/** The operations that agents have. */
export const OPERATION_TOOLS: readonly Tool[] = NAMED_OPERATIONS.flatMap(([, operation]) =>
  operation.tool === undefined ? [] : [toolFor(operation)],
);

/** An operation as agents have it. */
export function toolFor(operation: AnyOperation): Tool {
  if (operation.tool === undefined) throw new Error(`${operation.name} is not for agents`);
  const { input, output, ...tool } = toolOf(operation, operation.tool);
  return defineTool({
    ...tool,
    input: input as unknown as z.ZodObject,
    output: output as unknown as z.ZodObject,
  });
}
