import type { Schema } from '../api/schema.ts';
import { useParams } from '../use-params.ts';

const COUNT = new Intl.NumberFormat('en');

/** Pages of a list with a total; the page is in the address, as `offset`. */
export const Pager = ({
  page: { total, limit, offset },
  shown,
}: {
  readonly page: Pick<Schema<'UserList'>, 'total' | 'limit' | 'offset'>;
  /** How many rows this page has. */
  readonly shown: number;
}) => {
  const [, change] = useParams('offset');
  const open = (next: number) => change({ offset: next <= 0 ? '' : String(next) });
  const isAll = offset === 0 && shown >= total;
  return (
    <nav class="pager" aria-label="Pagination">
      <span role="status">
        {isAll
          ? total === 1
            ? '1 result'
            : `${COUNT.format(total)} results`
          : `${COUNT.format(offset + 1)}–${COUNT.format(offset + shown)} of ${COUNT.format(total)}`}
      </span>
      {!isAll && (
        <div role="group">
          <button
            type="button"
            class="secondary small"
            disabled={offset === 0}
            onClick={() => open(offset - limit)}
          >
            Previous
          </button>
          <button
            type="button"
            class="secondary small"
            disabled={offset + shown >= total}
            onClick={() => open(offset + limit)}
          >
            Next
          </button>
        </div>
      )}
    </nav>
  );
};

/** Pages of a list that continues by a cursor. */
export const CursorPager = ({
  count,
  isFirst,
  next,
  onFirst,
  onNext,
  words: [first, older] = ['Newest', 'Older'],
}: {
  readonly count: string;
  readonly isFirst: boolean;
  readonly next: string | null;
  readonly onFirst: () => void;
  readonly onNext: (cursor: string) => void;
  /** On the two buttons. */
  readonly words?: readonly [first: string, next: string];
}) => (
  <nav class="pager" aria-label="Pagination">
    <span role="status">{count}</span>
    {!(isFirst && next === null) && (
      <div role="group">
        <button type="button" class="secondary small" disabled={isFirst} onClick={onFirst}>
          {first}
        </button>
        <button
          type="button"
          class="secondary small"
          disabled={next === null}
          onClick={() => {
            if (next !== null) onNext(next);
          }}
        >
          {older}
        </button>
      </div>
    )}
  </nav>
);
