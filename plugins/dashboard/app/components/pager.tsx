import type { Schema } from '../api/schema.ts';

const COUNT = new Intl.NumberFormat('en');

/** Pages of a list with a total. */
export const Pager = ({
  page: { total, limit, offset },
  shown,
  onOffset,
}: {
  readonly page: Pick<Schema<'UserList'>, 'total' | 'limit' | 'offset'>;
  /** How many rows this page has. */
  readonly shown: number;
  readonly onOffset: (offset: number) => void;
}) => (
  <nav class="pager" aria-label="More results">
    <span role="status">
      {total === 0
        ? 'No results'
        : `${COUNT.format(offset + 1)} to ${COUNT.format(offset + shown)} of ${COUNT.format(total)}`}
    </span>
    <div role="group">
      <button
        type="button"
        class="secondary small"
        disabled={offset === 0}
        onClick={() => onOffset(Math.max(0, offset - limit))}
      >
        Previous
      </button>
      <button
        type="button"
        class="secondary small"
        disabled={offset + shown >= total}
        onClick={() => onOffset(offset + limit)}
      >
        Next
      </button>
    </div>
  </nav>
);

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
  <nav class="pager" aria-label="More results">
    <span role="status">{count}</span>
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
  </nav>
);
