import { z } from 'zod';
import { NOTICE } from '../../../src/core/outside.js';

export const count = z.int().min(0);
export const text = z.string();
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);
export const drawerId = z.string().regex(/^drawer_[0-9a-f]{24}$/);
export const line = z.int().min(1);
export const notice = z.literal(NOTICE);
export const problem = z.strictObject({ origin: text, reason: text, detail: text.optional() });
export const byReason = z.record(text, count);
export const model = z.strictObject({ id: text, revision: text, dimension: line });
export const moment = z.iso.datetime();
export const scheduler = z.enum(['systemd', 'launchd', 'cron']);
