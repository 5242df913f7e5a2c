import type { ComponentChildren } from 'preact';
import { type Loaded, counted, Button, Empty } from '../ui.ts';
import { useParams } from '../address.ts';
import type { IconName } from './icon.tsx';
import { Async, Page } from './page.tsx';
import { CursorPager, type CursorPaging, Pager } from './pager.tsx';
import { Table, type TableProps } from './table.tsx';

/** Why a list is empty, and what fills it. */
interface EmptyList {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: ComponentChildren;
  /** Below the text. */
  readonly more?: ComponentChildren;
}

interface ListProps<Body, Row> extends TableProps<Row> {
  readonly of: Loaded<Body>;
  readonly rows: (body: Body) => readonly Row[];
  readonly empty: EmptyList | ((body: Body) => EmptyList);
  /** Lines of the placeholder. */
  readonly lines?: number;
  /** Of a list that continues by a cursor: its place, and what one row is. */
  readonly paging?: CursorPaging & {
    readonly one: string;
    readonly many?: string;
    readonly words?: readonly [first: string, next: string];
    /** Even if everything is on this page. */
    readonly isAlways?: boolean;
  };
  /** All rows are on this page, although the API could return them by pages. */
  readonly isWhole?: boolean;
  /** Above or below the table. */
  readonly before?: ComponentChildren;
  readonly after?: ComponentChildren | ((body: Body) => ComponentChildren);
}

const Pages = <Body, Row>({
  body,
  shown,
  caption,
  paging,
}: {
  readonly body: Body;
  readonly caption: string;
  readonly shown: number;
  readonly paging: ListProps<Body, Row>['paging'];
}) => {
  const { total, limit, offset, next } = body as {
    readonly total?: number;
    readonly limit?: number;
    readonly offset?: number;
    readonly next?: string | null;
  };
  if (paging) {
    const { one, many, isAlways = false, ...place } = paging;
    if (!isAlways && place.isFirst && next == null) return null;
    return (
      <CursorPager {...place} of={caption} count={counted(shown, one, many)} next={next ?? null} />
    );
  }
  if (shown === 0 || total === undefined || limit === undefined || offset === undefined)
    return null;
  return <Pager of={caption} page={{ total, limit, offset }} shown={shown} />;
};

/** At an address that was shared while the list was longer. */
const isPastTheEnd = (body: unknown): boolean => {
  const { total = 0, offset = 0 } = body as { readonly total?: number; readonly offset?: number };
  return offset > 0 && total > 0;
};

const PastTheEnd = () => {
  const [, change] = useParams('offset');
  return (
    <Empty icon="search" title="This page is past the end of the list">
      <Button label="First page" onClick={() => change({ offset: '' })} />
    </Empty>
  );
};

/**
 * A list that was read: its rows in a table, or what fills it, or its error, or a placeholder; and
 * its pages, by offset if it has a total.
 */
export const List = <Body, Row>({
  of,
  rows: rowsOf,
  empty,
  lines = 6,
  paging,
  isWhole = false,
  before,
  after,
  create,
  ...table
}: ListProps<Body, Row> & { readonly create?: ComponentChildren }) => (
  <Async of={of} lines={lines}>
    {(body) => {
      const rows = rowsOf(body);
      const { more, ...words } = typeof empty === 'function' ? empty(body) : empty;
      return (
        <>
          {rows.length === 0 && isPastTheEnd(body) ? (
            <PastTheEnd />
          ) : rows.length === 0 ? (
            <Empty {...words}>
              {more}
              {create}
            </Empty>
          ) : (
            <>
              {before}
              <Table {...table} rows={rows} />
              {typeof after === 'function' ? after(body) : after}
            </>
          )}
          {!isWhole && (
            <Pages body={body} caption={table.caption} shown={rows.length} paging={paging} />
          )}
        </>
      );
    }}
  </Async>
);

/** A page that is a list. The button that creates a row moves into the list while it is empty. */
export const ListPage = <Body, Row>({
  title,
  lead,
  actions,
  create,
  filters,
  children,
  ...list
}: ListProps<Body, Row> & {
  readonly title: string;
  readonly lead: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Only while the list has rows: an empty list shows it itself. */
  readonly create?: ComponentChildren;
  readonly filters?: ComponentChildren;
  /** Dialogs, and what follows the list. */
  readonly children?: ComponentChildren;
}) => {
  const hasRows = list.of.data !== undefined && list.rows(list.of.data).length > 0;
  const head = (
    <>
      {actions}
      {hasRows && create}
    </>
  );
  return (
    <Page
      title={title}
      lead={lead}
      actions={Boolean(actions) || Boolean(create) ? head : undefined}
    >
      {filters}
      <List {...list} create={create} />
      {children}
    </Page>
  );
};
