import { UserError } from './errors.js';

/** The name in Unicode form NFC. @throws UserError `usage` */
export function validRoom(name: string): string {
  const room = name.normalize('NFC').trim();
  if (/^[^\p{Cc}\p{Cf}/\\]{1,128}$/u.test(room)) return room;
  throw new UserError('usage', `not a room: ${JSON.stringify(name)}`, {
    hint: 'a room is 1 to 128 characters, without slashes and control characters',
  });
}
