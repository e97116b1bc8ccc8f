import { z } from 'zod';
import { type Content, contentShape } from '../../core/parts.js';
import { shaped } from '../../core/shape.js';
import { type Entry, malformed } from './turns.js';

/** A field that is dropped when it has the wrong type. */
export const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
export const optionalText = maybe(z.string());
export const optionalName = maybe(z.string().min(1));
export const contentSchema = z.custom<Content>((value) => shaped(contentShape, value) !== undefined);

/** Reads a record of a known type; reports it when a required field is missing (a ZodError). */
export function complete<T>(type: string, line: number, read: () => T[]): (T | Entry)[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return [malformed(`${type} without its required fields`, line)];
  }
}
