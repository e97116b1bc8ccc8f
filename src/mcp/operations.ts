import type { z } from 'zod';
import { toolOf } from '../adapters/mcp.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { defineTool, type Tool } from './tool.js';

/** The operations that agents have. */
export const OPERATION_TOOLS: readonly Tool[] = NAMED_OPERATIONS.flatMap(([, operation]) => {
  if (operation.tool === undefined) return [];
  const { input, output, ...tool } = toolOf(operation, operation.tool);
  return [
    defineTool({ ...tool, input: input as unknown as z.ZodObject, output: output as unknown as z.ZodObject }),
  ];
});
