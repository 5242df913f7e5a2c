import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { type OperatorRole, hasRole, Time } from '../ui.ts';
import { Icon } from './icon.tsx';
import { Name } from './page.tsx';
import { Choose, type Selection } from './selection.tsx';

/** The fields of a row with such a value. */
type FieldOf<Row, Value> = {
  [Name in keyof Row]: Row[Name] extends Value ? Name : never;
}[keyof Row];

/** A column: a field that is a time or a figure, or a cell of its own. */
export type Column<Row> = {
  readonly title: string;
  /** Not on phones. */
  readonly isMinor?: boolean;
  /** The field by which the list is sorted when its title is pressed. */
  readonly sort?: string;
} & (
  | { readonly time: FieldOf<Row, string | null> }
  | { readonly figure: FieldOf<Row, number> }
  | {
      readonly cell: (row: Row) => ComponentChildren;
      /** Figures are aligned to the right; actions have no visible title. */
      readonly kind?: 'figure' | 'actions';
      /** Only for operators with this role. */
      readonly role?: OperatorRole;
    }
);

const isActions = <Row,>(column: Column<Row>): boolean =>
  'cell' in column && column.kind === 'actions';

const classOf = <Row,>(column: Column<Row>): string => {
  const kind = 'cell' in column ? column.kind : 'figure';
  return [kind, column.isMinor === true && 'minor'].filter(Boolean).join(' ');
};

const cellOf = <Row,>(column: Column<Row>, row: Row): ComponentChildren => {
  if ('cell' in column) return column.cell(row);
  if ('figure' in column) return row[column.figure] as number;
  return <Time at={row[column.time] as string | null} />;
};

/** What the rows of a table are. */
export interface TableProps<Row> {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  /** The field that identifies a row; absent: `id`. */
  readonly by?: keyof Row;
  /** The field that the list is sorted by, `-` before it: descending; and a choice of another. */
  readonly sorted?: { readonly by: string; readonly onSort: (by: string) => void };
  /** Rows can be chosen, by a checkbox in the first column. */
  readonly selection?: Selection<Row> | undefined;
}

const SortButton = ({
  field,
  title,
  sorted: { by, onSort },
}: {
  readonly field: string;
  readonly title: string;
  readonly sorted: NonNullable<TableProps<unknown>['sorted']>;
}) => (
  <button type="button" class="sort" onClick={() => onSort(by === field ? `-${field}` : field)}>
    {title}
    {by.replace('-', '') === field && <Icon name={by === field ? 'up' : 'down'} />}
  </button>
);

const directionOf = (field: string | undefined, by: string | undefined) => {
  if (field === undefined || by?.replace('-', '') !== field) return {};
  return { 'aria-sort': by === field ? 'ascending' : 'descending' } as const;
};

/**
 * A table whose rows become cards on phones. `<RowTitle>` in the first column opens the row, wherever
 * one clicks. Roles are explicit, because browsers drop those of tables shown as blocks.
 */
export const Table = <Row,>({
  caption,
  columns: all,
  rows,
  by = 'id' as keyof Row,
  sorted,
  selection,
}: TableProps<Row> & { readonly rows: readonly Row[] }) => {
  const columns = all.filter((column) => !('role' in column) || hasRole(column.role));
  return (
    <div class="table-frame">
      <table role="table" class="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, at) => (
              <th
                key={column.title}
                role="columnheader"
                scope="col"
                class={classOf(column)}
                {...directionOf(column.sort, sorted?.by)}
              >
                {at === 0 && selection && (
                  <Choose rows={rows} of={selection} label="Select all on this page" />
                )}
                {isActions(column) ? (
                  <span class="visually-hidden">{column.title}</span>
                ) : sorted && column.sort !== undefined ? (
                  <SortButton field={column.sort} title={column.title} sorted={sorted} />
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={String(row[by])}>
              {columns.map((column, at) => (
                <td
                  key={column.title}
                  role="cell"
                  class={classOf(column)}
                  data-label={isActions(column) ? '' : column.title}
                >
                  <div class={at === 0 && selection ? 'with-choice' : ''}>
                    {at === 0 && selection && (
                      <Choose
                        rows={[row]}
                        of={selection}
                        label={`Select ${selection.nameOf(row)}`}
                      />
                    )}
                    {cellOf(column, row)}
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Two lines of a cell. */
export const TwoLines = ({
  children,
  detail,
}: {
  readonly children: ComponentChildren;
  /** Null or undefined: one line. */
  readonly detail: ComponentChildren;
}) => (
  <span class="two-lines">
    {children}
    {detail != null && detail !== false && <small>{detail}</small>}
  </span>
);

/** The name of a row and, below it, a detail; opens the page of the row, if it has one. */
export const RowTitle = ({
  href,
  title,
  detail,
}: {
  readonly href?: string;
  readonly title: string;
  readonly detail?: ComponentChildren;
}) => {
  const name = (
    <strong>
      <Name of={title.trim() || '(blank)'} />
    </strong>
  );
  return (
    <TwoLines detail={detail}>
      {href === undefined ? (
        name
      ) : (
        <Link class="row-link" href={href}>
          {name}
        </Link>
      )}
    </TwoLines>
  );
};

/** By code point: half of a surrogate pair is no letter. */
const firstLetter = (word = ''): string =>
  word === '' ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0);

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''];
  return `${firstLetter(first)}${firstLetter(last)}`.toUpperCase();
};

/** A person: name over e-mail; opens their page. */
export const UserName = ({
  href,
  name,
  detail,
}: {
  readonly href: string;
  readonly name: string;
  readonly detail?: string | null;
}) => (
  <span class="row">
    <span class="avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
    <RowTitle href={href} title={name} detail={detail} />
  </span>
);
