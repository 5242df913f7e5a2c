import { useState } from 'preact/hooks';
import { useParams } from '../address.ts';
import { type Schema, Button } from '../ui.ts';

/** The place in a list that continues by a cursor. */
export interface CursorPaging {
  readonly isFirst: boolean;
  readonly onFirst: () => void;
  readonly onNext: (cursor: string) => void;
}

/** The place in a list that continues by a cursor, which is not in the address. */
export const useCursor = () => {
  const [cursor, setCursor] = useState<string>();
  const paging: CursorPaging = {
    isFirst: cursor === undefined,
    onFirst: () => setCursor(undefined),
    onNext: setCursor,
  };
  return { cursor, paging };
};

/** The same with the cursor in the address, under this name. */
export const useCursorParam = (name: string) => {
  const [{ [name]: cursor = '' }, change] = useParams(name);
  const paging: CursorPaging = {
    isFirst: cursor === '',
    onFirst: () => change({ [name]: '' }),
    onNext: (next) => change({ [name]: next }),
  };
  return { cursor, paging };
};

const COUNT = new Intl.NumberFormat('en');

/** The next page begins at the top of its section. */
const toTop = ({ currentTarget }: { readonly currentTarget: EventTarget | null }): void => {
  if (currentTarget instanceof Element)
    currentTarget.closest('section, main')?.scrollIntoView({ block: 'start' });
};

/** Pages of a list with a total; the page is in the address, as `offset`. */
export const Pager = ({
  of,
  page: { total, limit, offset },
  shown,
}: {
  /** The caption of the list. */
  readonly of: string;
  readonly page: Pick<Schema<'UserList'>, 'total' | 'limit' | 'offset'>;
  /** How many rows this page has. */
  readonly shown: number;
}) => {
  const [, change] = useParams('offset');
  const open = (next: number) => change({ offset: next <= 0 ? '' : String(next) });
  const last = offset + shown;
  const place = `${COUNT.format(offset + 1)}–${COUNT.format(last)} of ${COUNT.format(total)}`;
  const all = total === 1 ? '1 result' : `${COUNT.format(total)} results`;
  return (
    <CursorPager
      of={of}
      count={offset === 0 && last >= total ? all : place}
      isFirst={offset === 0}
      next={last >= total ? null : String(last)}
      onFirst={() => open(offset - limit)}
      onNext={() => open(offset + limit)}
      words={['Previous', 'Next']}
    />
  );
};

/** Pages of a list that continues by a cursor. */
export const CursorPager = ({
  of,
  count,
  isFirst,
  next,
  onFirst,
  onNext,
  words: [first, older] = ['Newest', 'Older'],
}: CursorPaging & {
  /** The caption of the list. */
  readonly of: string;
  readonly count: string;
  readonly next: string | null;
  /** On the two buttons. */
  readonly words?: readonly [first: string, next: string];
}) => (
  <nav class="pager split" aria-label={`Pages of ${of}`}>
    <span role="status">{count}</span>
    {!(isFirst && next === null) && (
      <div role="group" onClick={toTop}>
        <Button label={first} class="secondary small" disabled={isFirst} onClick={onFirst} />
        <Button
          label={older}
          class="secondary small"
          disabled={next === null}
          onClick={() => {
            if (next !== null) onNext(next);
          }}
        />
      </div>
    )}
  </nav>
);
