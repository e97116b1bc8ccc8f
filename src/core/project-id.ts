/**
 * Ids of projects. The palace's own machine has 12 hexadecimal digits; another machine, which files into the palace over
 * its broker, adds its mark. So two machines never share a project, whatever their folders are called: neither can see
 * which documents the other has.
 */
import { sha256 } from './hash.js';

const ID_DIGITS = 12;
const MARK_DIGITS = 8;
const OF_MACHINE = new RegExp(`^[0-9a-f]{${ID_DIGITS}}m(?<mark>[0-9a-f]{${MARK_DIGITS}})$`);

/** The mark of a machine by its name, for the ids of its projects. */
export const markOf = (machine: string): string => sha256(machine).slice(0, MARK_DIGITS);

/** The mark in the id of a project; empty for one of the palace's own machine. */
export const markIn = (id: string): string => OF_MACHINE.exec(id)?.groups?.mark ?? '';

/** @param mark empty: of the palace's own machine */
export function projectId(root: string, rootCommit: string | null, attempt: number, mark: string): string {
  const id = sha256(`${root}\0${rootCommit ?? ''}\0${attempt}`).slice(0, ID_DIGITS);
  return mark === '' ? id : `${id}m${mark}`;
}
