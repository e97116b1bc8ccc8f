import { z } from 'zod';

export { documents as schemas } from '../../src/presentation/documents/index.js';

/** All names of fields in a schema and in its nested schemas. */
export function fieldsOf(schema: z.ZodType): Set<string> {
  const names = new Set<string>();
  const walk = (each: unknown): void => {
    if (each instanceof z.ZodObject) {
      for (const [name, inner] of Object.entries(each.shape)) {
        names.add(name);
        walk(inner);
      }
    } else if (each instanceof z.ZodArray) walk(each.element);
    else if (each instanceof z.ZodNullable || each instanceof z.ZodOptional) walk(each.unwrap());
  };
  walk(schema);
  return names;
}
