import { conforms } from './conformance.js';
import { serviceOf } from './palace.js';

conforms('the SQLite palace', async (folder) => {
  const service = serviceOf(folder);
  return { service, close: () => service.close() };
});
