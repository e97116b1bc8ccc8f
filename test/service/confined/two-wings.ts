import { join } from 'node:path';
import { ACTIVITY_VERSION } from '../../../src/activity/index.js';
import type { PalaceService } from '../../../src/service/contract/index.js';
import { ask } from '../../support/ask.js';
import { temporaryFolder, temporaryPalace } from '../../support/palace.js';
import { asking, file, find, question, serviceOf } from '../palace.js';

/** The wing of the client. */
export const OWN = 'shop';
/** In every text and name of the other wing. */
export const MARK = 'zorblax';
export const OTHER = `${MARK}_wing`;
/** In both wings. */
export const SAME = 'Lamps are made of brass.\n';

/**
 * A palace in which one wing belongs to the client, and another one has the mark everywhere: texts, titles, rooms, files,
 * folders, types, facts, diaries, tasks, collections, checkpoints, patterns, runs.
 *
 * @param withOther false: the same palace without the other wing
 */
async function twoWings(withOther = true): Promise<string> {
  const folder = join(temporaryFolder(), 'palace');
  const palace = temporaryPalace(folder);
  palace.projects.put({ id: 'p', root: '/own', rootCommit: null, folder: 'p' }, OWN);
  const own = { wing: OWN, projectId: 'p', room: 'general' };
  await file(palace, 'doc:p/README.md', ['The lamp is blue. See [[plans]] and [[prices]].\n'], {
    changes: { ...own, place: 'README.md', title: 'Readme', sourceFile: 'docs/p/README.md' },
  });
  await file(palace, 'doc:p/prices.md', [SAME], {
    changes: { ...own, place: 'prices.md', title: 'Prices', sourceFile: 'docs/p/prices.md' },
  });
  const talk = { kind: 'conversation' as const, wing: OWN, room: 'general', directory: '/own' };
  await file(palace, 'session:o:ses_own', ['User:\nWhy is the lamp blue?\n'], {
    changes: { ...talk, sessionId: 'ses_own', title: 'The lamp', sourceFile: 'session/own.jsonl' },
    activity: touched('/own/lamp.ts'),
  });
  await file(palace, 'checkpoint:session:o:ses_own/end.md', ['The lamp is lit.\n'], {
    changes: { wing: OWN, room: 'checkpoints', sessionId: 'ses_own', directory: '/own', title: 'The lamp' },
  });
  await file(palace, 'diary:pi/own.md', ['The lamp is fixed.\n'], {
    changes: { wing: OWN, room: 'diary', title: 'diary: lamps', sourceFile: 'diary/pi/own.md' },
  });
  await file(palace, 'drawer:0123456789abcdef01234567/drawer.md', ['Lamps need oil.\n'], {
    changes: { wing: OWN, room: 'notes', sourceFile: 'drawer/own.md' },
  });
  if (withOther) {
    palace.projects.put({ id: 'q', root: `/${MARK}`, rootCommit: null, folder: 'q' }, OTHER);
    const other = { wing: OTHER, room: `${MARK}_room`, sourceFile: `docs/${MARK}/README.md`, title: MARK };
    await file(palace, 'doc:q/README.md', [`The lamp of ${MARK} is red.\n`], {
      changes: { ...other, projectId: 'q', place: 'README.md', givenType: `${MARK}-card` },
    });
    // Of the same project as the client's documents: links lead there.
    await file(palace, 'doc:p/plans.md', [`Plans of ${MARK} lamps.\n`], {
      changes: { ...other, projectId: 'p', place: 'plans.md', sourceFile: `docs/${MARK}/plans.md` },
    });
    await file(palace, 'doc:q/copy.md', [SAME], { changes: { ...other, projectId: 'q', place: 'copy.md' } });
    // In the folder of the client's project, about a file of the same name.
    await file(palace, 'session:o:ses_other', [`User:\nDoes ${MARK} buy the lamp?\n`], {
      changes: {
        ...talk,
        wing: OTHER,
        sessionId: 'ses_other',
        title: MARK,
        sourceFile: `session/${MARK}.jsonl`,
      },
      activity: touched(`/own/${MARK}/lamp.ts`),
    });
    await file(palace, 'checkpoint:session:o:ses_other/end.md', [`${MARK} stood here.\n`], {
      changes: { ...other, room: 'checkpoints', sessionId: 'ses_other', directory: '/own' },
    });
    // Written more than once, it is a pattern.
    for (const agent of ['pi', 'kimi'])
      await file(palace, `diary:${agent}/other.md`, [`${MARK} wants lamps.\n`], {
        changes: {
          ...other,
          room: 'diary',
          title: 'diary: decision',
          sourceFile: `diary/${agent}/${MARK}.md`,
        },
      });
    await file(palace, 'drawer:89abcdef0123456789abcdef/drawer.md', [`${MARK} pays for lamps.\n`], {
      changes: { ...other, sourceFile: `drawer/${MARK}.md` },
    });
  }
  palace.close();
  if (withOther) await inWholePalace(folder);
  return folder;
}

const touched = (path: string) => ({
  version: ACTIVITY_VERSION,
  touched: [{ path, action: 'edited' as const, former: undefined, at: 0 }],
  failures: [],
});

/** Facts, tasks, collections and marks of the other wing. */
async function inWholePalace(folder: string): Promise<void> {
  const service = serviceOf(folder);
  const call = asking({ agent: `${MARK}-agent`, through: `run ${MARK}` });
  const fact = { subject: MARK, predicate: `${MARK}_buys`, source_file: `docs/${MARK}/README.md` };
  await ask(service, 'kgAdd', { ...fact, object: 'lamps' }, call);
  await ask(service, 'kgAdd', { subject: 'lamps', predicate: 'owner', object: MARK }, call);
  await ask(service, 'kgAdd', { subject: 'lamps', predicate: 'owner', object: `${MARK} too` }, call);
  await ask(service, 'taskAdd', { text: `Sell lamps to ${MARK}.`, for: `${MARK}-agent` }, call);
  await ask(service, 'collectionAdd', { name: `${MARK} lamps`, query: 'lamp', wing: OTHER }, call);
  for (const name of ['doc:q/README.md', 'doc:p/plans.md'])
    await ask(service, 'set', { name, priority: 'high', pinned: true }, call);
  const { drawers } = await ask(service, 'listDrawers', { wing: OTHER, limit: 99 }, call);
  for (const { drawer_id } of drawers)
    await ask(service, 'set', { name: drawer_id, priority: 'high', pinned: true }, call);
  await service.close();
}

/** What an attacker may have learned: ids of the other wing, which contain no word of it. */
export async function idsOfOther(palace: PalaceService) {
  const page = { limit: 99, offset: 0 };
  const { drawers } = await ask(palace, 'listDrawers', { wing: OTHER, ...page });
  const { facts } = await ask(palace, 'kgTimeline', page, asking());
  const { found: source } = await ask(palace, 'show', { name: 'doc:q/README.md' });
  if (source.kind !== 'source') throw new Error('a source was asked for');
  const { hits } = await find(palace, question(`pays ${MARK}`, { rank: 'lexical' }), asking());
  const written = hits.find(({ drawer }) => drawer.sourceKey.startsWith('drawer:'))?.drawer.drawerId ?? '';
  return {
    drawers: drawers.map(({ drawer_id }) => drawer_id),
    /** Of a text that `fileTexts` filed. */
    written,
    facts: facts.map(({ triple_id }) => triple_id),
    hash: source.source.hash,
  };
}

/** Ids of the other wing do not depend on the palace: the same are asked where it does not exist. */
export async function openTwoWings(withOther = true) {
  const folder = await twoWings(withOther);
  return { folder, palace: serviceOf(folder) };
}
