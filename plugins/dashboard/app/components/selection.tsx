import { useState } from 'preact/hooks';
import { counted, Button } from '../ui.ts';
import { Menu, type MenuItem } from './menu.tsx';

/** The chosen rows of a table, which stay chosen on its other pages. */
export interface Selection<Row> {
  readonly chosen: ReadonlyMap<string, Row>;
  /** Chooses these rows, or no longer. */
  readonly set: (rows: readonly Row[], isChosen: boolean) => void;
  readonly keyOf: (row: Row) => string;
  /** For screen readers. */
  readonly nameOf: (row: Row) => string;
}

export const useSelection = <Row,>(
  keyOf: (row: Row) => string,
  nameOf: (row: Row) => string,
): Selection<Row> & { readonly clear: () => void } => {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const set = (rows: readonly Row[], isChosen: boolean) =>
    setChosen((before) => {
      const next = new Map(before);
      for (const row of rows)
        if (isChosen) next.set(keyOf(row), row);
        else next.delete(keyOf(row));
      return next;
    });
  return { chosen, set, keyOf, nameOf, clear: () => setChosen(new Map()) };
};

/** A checkbox for a row, or for all rows of a page. */
export const Choose = <Row,>({
  rows,
  label,
  of: { chosen, set, keyOf },
}: {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly of: Selection<Row>;
}) => {
  const count = rows.filter((row) => chosen.has(keyOf(row))).length;
  return (
    <input
      type="checkbox"
      class="choose"
      aria-label={label}
      checked={count > 0 && count === rows.length}
      indeterminate={count > 0 && count < rows.length}
      onChange={({ currentTarget }) => set(rows, currentTarget.checked)}
    />
  );
};

/** Above a table: how many rows are chosen, and what can be done with them. */
export const SelectionBar = ({
  count,
  one,
  total,
  actions,
  onAll,
  onClear,
}: {
  readonly count: number;
  /** What a row is: "user". */
  readonly one: string;
  /** Of the list, on all pages. */
  readonly total: number;
  readonly actions: readonly MenuItem[];
  /** Chooses all rows of the list; absent: too many. */
  readonly onAll: (() => void) | undefined;
  readonly onClear: () => void;
}) => (
  <div class="selection-bar cluster" role="region" aria-label="Selection">
    <strong role="status">{`${counted(count, one)} selected`}</strong>
    {onAll && count < total && (
      <Button label={`Select all ${total}`} class="secondary small" onClick={onAll} />
    )}
    <Button label="Clear" class="secondary small" onClick={onClear} />
    <Menu label="Actions" icon="down" about="Actions for the selection" items={actions} />
  </div>
);
