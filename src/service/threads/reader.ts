/** A thread that reads the palace by a connection of its own: a search blocks its thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Request, Response } from '../rpc/messages.js';
import { serveOver } from '../rpc/over.js';
import { portLink } from '../rpc/ports.js';
import { sqliteService } from '../sqlite/index.js';
import { borrowedModels } from './model-port.js';
import type { ReaderData } from './readers.js';

if (parentPort === null) throw new Error('reader.cjs runs as a worker thread only');
const { folder, countsUses, models: port }: ReaderData = workerData;
const service = sqliteService({ folder, countsUses, models: borrowedModels(port) });
// From the same process: nothing is parsed.
void serveOver(portLink<Response, Request>(parentPort), service, (request) => request);
