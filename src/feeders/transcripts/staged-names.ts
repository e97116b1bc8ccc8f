import { z } from 'zod';
import { readLines } from '../../platform/jsonl.js';

const named = z.object({ messageId: z.string().optional(), copyKey: z.string().optional() });

const NAMED = /"(?:messageId|copyKey)":/;

/** Ids and copy keys of the messages in a staged transcript; none of one that cannot be read. */
export async function namesInStaged(file: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { text } of readLines(file)) {
      if (text === undefined || !NAMED.test(text)) continue;
      const { data } = named.safeParse(JSON.parse(text));
      if (data?.messageId !== undefined) names.push(data.messageId);
      if (data?.copyKey !== undefined) names.push(data.copyKey);
    }
  } catch {
    return [];
  }
  return names;
}
