import { useState } from 'preact/hooks';

/** The place in a list that continues by a cursor; `pager` is for `<CursorPager>`. */
export const useCursor = () => {
  const [cursor, setCursor] = useState<string>();
  const toFirst = () => setCursor(undefined);
  return {
    /** Undefined: at the beginning. */
    cursor,
    toFirst,
    pager: { isFirst: cursor === undefined, onFirst: toFirst, onNext: setCursor },
  };
};
