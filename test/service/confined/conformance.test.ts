import { confinedTo } from '../../../src/service/confined/index.js';
import { conforms } from '../conformance.js';
import { serviceOf } from '../palace.js';

conforms(
  'a palace that is confined to a wing',
  async (folder) => {
    const service = serviceOf(folder);
    return { service: confinedTo('wing_only', service), close: () => service.close() };
  },
  'wing_only',
);
