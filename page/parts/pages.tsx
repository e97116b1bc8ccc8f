import { number } from '../words.js';

interface Props {
  offset: number;
  limit: number;
  total: number;
  onPage: (offset: number) => void;
}

export function Pages({ offset, limit, total, onPage }: Props) {
  if (total <= limit) return null;
  const turn = (to: number): void => {
    onPage(to);
    scrollTo(0, 0);
  };
  return (
    <p class="pages">
      <button type="button" disabled={offset === 0} onClick={() => turn(Math.max(0, offset - limit))}>
        Previous
      </button>
      <span>
        {number(offset + 1)}–{number(Math.min(total, offset + limit))} of {number(total)}
      </span>
      <button type="button" disabled={offset + limit >= total} onClick={() => turn(offset + limit)}>
        Next
      </button>
    </p>
  );
}
