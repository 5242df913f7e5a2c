import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures are aligned to the right; actions have no visible title. */
  readonly kind?: 'figure' | 'actions';
  /** Not on phones. */
  readonly isMinor?: boolean;
}

const classOf = ({ kind, isMinor }: Column<never>): string =>
  [kind, isMinor === true && 'minor'].filter(Boolean).join(' ');

/**
 * A table whose rows become cards on phones. A link of class `row-link` in the first column opens the
 * row, wherever one clicks. Roles are explicit, because browsers drop those of tables shown as blocks.
 */
export const Table = <Row,>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  /** For screen readers: what the rows are. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) => (
  <div class="table-frame">
    <table role="table" class="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.title} role="columnheader" scope="col" class={classOf(column)}>
              {column.kind === 'actions' ? (
                <span class="visually-hidden">{column.title}</span>
              ) : (
                column.title
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row" key={keyOf(row)}>
            {columns.map((column) => (
              <td
                key={column.title}
                role="cell"
                class={classOf(column)}
                data-label={column.kind === 'actions' ? '' : column.title}
              >
                <div>{column.cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
