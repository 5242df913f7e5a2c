import { z } from 'zod';
import { fold } from '../domain/kernel/names.js';
import type { GatewayResponse } from './gateway-client.js';
import type { Session } from './session.js';

/** An item that was found by what the operator typed. */
export interface Located {
  readonly id: string;
  /** The item, if a list was read to find it. */
  readonly response?: GatewayResponse;
}

/** Finds an item of the collection at `path`; resolves to undefined if there is none. */
export type Locate = (
  session: Session,
  path: string,
  wanted: string,
) => Promise<Located | undefined>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** By the id alone. */
export const byId: Locate = (_session, _path, wanted) =>
  Promise.resolve({ id: encodeURIComponent(wanted) });

export type Item = Readonly<Record<string, unknown>>;

interface ListShape {
  /** The field of a page that holds the items: `rooms`. */
  readonly items: string;
  /** The field of an item that holds its id. */
  readonly id?: string;
}

const readPage = async (
  { client, read }: Session,
  path: string,
  query: Readonly<Record<string, unknown>>,
  { items }: ListShape,
): Promise<{ readonly items: readonly Item[]; readonly total: number }> => {
  const Page = z.looseObject({
    [items]: z.array(z.record(z.string(), z.unknown())),
    total: z.int(),
  });
  const page = read(Page, await client.request('GET', path, { query }));
  return { items: page[items] as readonly Item[], total: page.total as number };
};

const located = (item: Item, { id = 'id' }: ListShape): Located => ({
  id: String(item[id]),
  response: { status: 200, text: JSON.stringify(item) },
});

/** By the id if the text is one. */
export const byIdOr =
  (locate: Locate): Locate =>
  (session, path, wanted) =>
    isUuid(wanted) ? Promise.resolve({ id: wanted.toLowerCase() }) : locate(session, path, wanted);

/** By a condition of the list: `name`, `email`. */
export const byCondition =
  (field: string, shape: ListShape): Locate =>
  async (session, path, wanted) => {
    const { items } = await readPage(session, path, { [field]: wanted }, shape);
    return items[0] && located(items[0], shape);
  };

const PAGE = 500;

/** By reading the list, if it has no condition that fits. */
export const byScan =
  (shape: ListShape, matches: (item: Item, wanted: string) => boolean): Locate =>
  async (session, path, wanted) => {
    for (let offset = 0; ; offset += PAGE) {
      const page = await readPage(session, path, { limit: PAGE, offset }, shape);
      const found = page.items.find((item) => matches(item, wanted));
      if (found) return located(found, shape);
      if (offset + PAGE >= page.total) return undefined;
    }
  };

/** Whether one of the item's fields is this text, ignoring case. */
export const hasText =
  (...fields: readonly string[]) =>
  (item: Item, wanted: string): boolean =>
    fields.some((field) => fold(String(item[field])) === fold(wanted));
