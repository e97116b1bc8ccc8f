import { z } from 'zod';

/** For a program that files beside a broker: it does not load a second model. */
export const embed = {
  input: z.object({
    /** Of the vectors that are wanted: refused unless the palace has it. */
    model: z.object({ id: z.string(), revision: z.string(), dimension: z.int() }),
    texts: z.array(z.string()),
    role: z.enum(['query', 'passage']),
  }),
  /** One after the other, as `packVectors` writes them. */
  output: z.object({ vectors: z.base64() }),
};
