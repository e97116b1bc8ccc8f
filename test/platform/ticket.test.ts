import { mkdirSync, renameSync, truncateSync, utimesSync } from 'node:fs';
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

it('a ticket is void after its time, also when the clock was set back since then', () => {
  const file = place();
  for (const offHours of [-2, 2]) {
    drawTicket(file);
    const then = new Date(Date.now() + offHours * 3_600_000);
    utimesSync(file, then, then);
    expect([offHours, drawTicket(file), drawTicket(file)]).toEqual([offHours, true, false]);
    // A full disk, or a kill, left it without its text.
    truncateSync(file);
    utimesSync(file, then, then);
    expect([offHours, drawTicket(file), drawTicket(file)]).toEqual([offHours, true, false]);
  }
});

it('a folder in the place of a ticket is an error', () => {
  const file = place();
  mkdirSync(file, { recursive: true });
  expect(() => drawTicket(file)).toThrow();
  renameSync(file, `${file}-away`);
  expect(drawTicket(file)).toBe(true);
});
