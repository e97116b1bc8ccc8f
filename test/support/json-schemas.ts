import type { z } from 'zod';

export { documents as schemas } from './document-schemas.js';

/** All names of fields in a schema and in its nested schemas. */
export function fieldsOf(schema: z.core.$ZodType): Set<string> {
  const names = new Set<string>();
  const walk = (each: z.core.$ZodType): void => {
    const { def } = (each as z.core.$ZodTypes)._zod;
    if (def.type === 'object') {
      for (const [name, inner] of Object.entries(def.shape)) {
        names.add(name);
        walk(inner);
      }
    } else if (def.type === 'array') walk(def.element);
    else if (def.type === 'nullable' || def.type === 'optional') walk(def.innerType);
  };
  walk(schema);
  return names;
}
