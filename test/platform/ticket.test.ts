import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawTicket, passTicket, returnTicket } from '../../src/platform/ticket.js';
import { temporaryFolder } from '../support/palace.js';

const place = (): string => join(temporaryFolder(), 'hooks', 'runner');

it('a ticket goes to one of many, and to the next when it was returned', () => {
  const file = place();
  expect([drawTicket(file), drawTicket(file), drawTicket(file)]).toEqual([true, false, false]);
  returnTicket(file);
  expect(drawTicket(file)).toBe(true);
});

it('a ticket is void when its holder died', () => {
  const file = place();
  expect(drawTicket(file)).toBe(true);
  // Larger than any process id.
  passTicket(file, 2 ** 30);
  expect(drawTicket(file)).toBe(true);
  expect(drawTicket(file)).toBe(false);
});

it('a folder in the place of a ticket is an error', () => {
  const file = place();
  mkdirSync(file, { recursive: true });
  expect(() => drawTicket(file)).toThrow();
  renameSync(file, `${file}-away`);
  expect(drawTicket(file)).toBe(true);
});
