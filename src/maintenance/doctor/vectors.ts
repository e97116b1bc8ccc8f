import { plural } from '../../core/plural.js';
import type { Embedder } from '../../embedding/index.js';
import { Palace } from '../../store/index.js';
import { findForeignVectors } from '../rebuild/foreign-vectors.js';
import type { DoctorContext } from './context.js';
import { type Finding, fail, ok, warn } from './finding.js';

const LABEL = 'vectors';

/** Whether the palace's model made the palace's vectors. Text leaves this machine for no check. */
export async function checkVectors(embedder: Embedder, { palace: folder }: DoctorContext): Promise<Finding> {
  const { id, reach } = embedder.model;
  const palace = Palace.read(folder);
  try {
    if (!palace.vectorSamples.hadAnotherModel)
      return ok(LABEL, `the palace never had another model than ${id}`);
    if (reach === 'network') {
      const detail = `not compared with ${id}, since that would send text there`;
      return warn(LABEL, detail, 'mempalace repair compares them');
    }
    palace.vectors.requireModel(embedder.model);
    const { compared, foreign } = await findForeignVectors({ palace, embedder });
    const of = `${foreign} of ${plural(compared, 'vector')} that were compared`;
    if (foreign > 0) return fail(LABEL, `${of} are not of ${id}`, 'mempalace repair');
    return ok(LABEL, `${plural(compared, 'vector')} compared with ${id}`);
  } finally {
    palace.close();
  }
}
