import { sha256 } from '../../core/hash.js';

const SLUG_LENGTH = 60;
const ID_LENGTH = 44;
const ROOM_LENGTH = 100;

/**
 * The transcript's file name, `<slug>_<id>.jsonl`: ASCII, at most 120 bytes, not a path, and the same for the same
 * session on every machine. Without a slug of opencode, the title gives it.
 */
export function transcriptName(slug: string, title: string, id: string): string {
  return `${slugOf(slug) || slugOf(title) || 'session'}_${safeId(id)}.jsonl`;
}

function slugOf(text: string): string {
  return text
    .slice(0, 2_000)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
}

/** Opencode's ids are safe as they are. Any other becomes safe and stays unique. */
function safeId(id: string): string {
  if (id.length <= ID_LENGTH && /^[A-Za-z0-9_-]+$/.test(id)) return id;
  return `${id.replace(/[^A-Za-z0-9_-]+/g, '').slice(0, 20)}-${sha256(id).slice(0, 16)}`;
}

/** Collapses white space, and removes control characters and invisible line breaks. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u2028\u2029]/gu, '')
    .trim();
}

export function titleOf(title: string | null | undefined): string {
  return oneLine(title ?? '') || 'untitled';
}

/** The last segment of a session's directory, or `general`. */
export function roomOf(directory: string): string {
  const segment =
    directory
      .split(/[/\\]+/)
      .filter((name) => name !== '')
      .at(-1) ?? '';
  const room = oneLine(segment)
    .slice(0, ROOM_LENGTH)
    .replace(/\p{Surrogate}/gu, '')
    .trim();
  return room === '' || room === '.' || room === '..' || /^[A-Za-z]:$/.test(room) ? 'general' : room;
}
