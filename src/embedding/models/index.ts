/** Which models are here, and bringing others here. */
import { LOCAL_MODELS, type LocalModel, modelFolder } from '../index.js';
import { readPullRecord } from '../record.js';

export { type PullProgress, pullModel } from './pull.js';

export interface KnownModel {
  model: LocalModel;
  /** Its folder, whether it exists or not. */
  folder: string;
  /** True for the embedded model, and for those that were pulled. */
  here: boolean;
  /** Bytes of all files; about, while it is not here. */
  bytes: number;
}

/** Every model of the registry, and which of them are here. An unreadable record counts as not here. */
export async function knownModels(env: NodeJS.ProcessEnv): Promise<KnownModel[]> {
  return Promise.all(
    LOCAL_MODELS.map(async (model) => {
      const folder = modelFolder(model, env);
      const record =
        model.repository === null ? undefined : await readPullRecord(folder).catch(() => undefined);
      const files = record === undefined ? model.files : Object.values(record.files);
      return {
        model,
        folder,
        here: model.repository === null || record !== undefined,
        bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      };
    }),
  );
}
