import { type Answer, get, post } from '../api.js';
import { useAnswer } from '../ask.js';
import { NewName } from './new-name.js';
import { Shown } from './state.js';
import { making } from './toast.js';
import { Unfold } from './unfold.js';

type Collection = Answer<'collectionShow'>['collection'];

/** A choice, the choice against it, and the numbers that count them. */
const CHOICES = {
  add: { other: 'exclude', own: 'added', others: 'excluded', words: 'added to' },
  exclude: { other: 'add', own: 'excluded', others: 'added', words: 'excluded from' },
} as const;
type Choice = keyof typeof CHOICES;

/** Adds a drawer to a collection or excludes it; it can be undone. A collection with a new name is made. */
export function collect(name: string, id: string, title: string, choice: Choice): void {
  void making(async () => {
    const before = (await get<'collectionList'>('/collection/list')).collections.find(
      (each) => each.name === name,
    );
    const { collection } = await post<'collectionAdd'>('/collection', { name, [choice]: [id] });
    const undo = before === undefined ? { drop: true } : former(before, collection, choice);
    return {
      text: `${title}: ${CHOICES[choice].words} ${name}`,
      undo:
        undo &&
        (() =>
          'drop' in undo
            ? post<'collectionDrop'>('/collection/drop', { name })
            : post<'collectionAdd'>('/collection', { name, [undo.change]: [id] })),
    };
  });
}

/** What the change of one drawer undoes; undefined if nothing changed. */
function former(before: Collection, now: Collection, choice: Choice) {
  const { other, own, others } = CHOICES[choice];
  if (now[own] === before[own]) return undefined;
  return { change: now[others] < before[others] ? other : 'remove' };
}

/** The collections that a passage can be added to or excluded from. */
export function Collect({ id, title }: { id: string; title: string }) {
  return <Unfold summary="Collect">{() => <Collections id={id} title={title} />}</Unfold>;
}

function Collections({ id, title }: { id: string; title: string }) {
  const found = useAnswer<'collectionList'>('/collection/list');
  return (
    <>
      <Shown asked={found}>
        {({ collections }) => (
          <ul class="rows">
            {collections.map(({ name }) => (
              <li key={name}>
                <span dir="auto">{name}</span>
                <p class="marks">
                  <button type="button" onClick={() => collect(name, id, title, 'add')}>
                    Add
                  </button>
                  <button type="button" onClick={() => collect(name, id, title, 'exclude')}>
                    Exclude
                  </button>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <NewName
        label="Name of a new collection"
        placeholder="a new collection…"
        button="Add"
        onName={(name) => collect(name, id, title, 'add')}
      />
    </>
  );
}
