import { get, post, Refused } from '../api.js';
import { NewName } from './new-name.js';
import { making } from './toast.js';

interface Props {
  query: string;
  /** Conditions of the search, by their names in its address. */
  filters: Readonly<Record<string, string>>;
}

/** Makes a collection of what a search finds, now and later; it can be undone. */
export function CollectSearch({ query, filters }: Props) {
  return (
    <details class="disclosure collecting">
      <summary>Collect this search</summary>
      <NewName
        label="Name of the collection of this search"
        placeholder="a new collection…"
        button="Make a collection"
        onName={(name) => collectSearch(name, query, filters)}
      />
      <p class="quiet">
        What the search finds with the question and these filters belongs to it, also what is filed later.
      </p>
    </details>
  );
}

function collectSearch(name: string, query: string, filter: Props['filters']): void {
  void making(async () => {
    const { collections } = await get<'collectionList'>('/collection/list');
    if (collections.some((each) => each.name === name))
      throw new Refused(409, `There is a collection ${name} already.`, undefined);
    await post<'collectionAdd'>('/collection', { name, query, filter });
    return {
      text: `${query}: collected as ${name}`,
      undo: () => post<'collectionDrop'>('/collection/drop', { name }),
    };
  });
}
