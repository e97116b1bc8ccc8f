/** Which models are here, and bringing others here. */
export { type KnownModel, knownModels } from './inventory.js';
export { type PullProgress, pullModel } from './pull.js';
