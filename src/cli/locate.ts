import { z } from 'zod';
import { nameDistance } from '../../config/did-you-mean.js';
import { capitalise } from '../domain/kernel/in-words.js';
import { fold, nameKey } from '../domain/kernel/names.js';
import { printable } from './terminal-text.js';
import type { Session } from './session.js';
import type { GatewayResponse } from './gateway-access.js';
import type { CliItem, CliResource } from '../start/load-extensions.js';
import { CliError } from './cli-error.js';

/** What can be named: an id, and texts by which people call it. */
export interface Named {
  readonly id: string;
  /** The first one is shown; the others distinguish things of one name. */
  readonly names: readonly string[];
}

const MAX_SHOWN = 5;
/** Requests for beginnings of the text, shorter and shorter. */
const MAX_REQUESTS = 6;
const MIN_BEGINNING = 2;
const MAX_ITEMS = 500;
const MAX_FOUND = 50;

/** `  6f1c2c1e-…  Ada Lovelace (ada@example.com)` */
const describeNamed = ({ id, names: [name = '', ...others] }: Named): string => {
  const rest = [...new Set(others.filter((other) => other !== name))].join(', ');
  return `  ${id}  ${printable(name)}${rest === '' ? '' : ` (${printable(rest)})`}`;
};

/** Items whose name is nearly this text, nearest first. Found with few requests, however many exist. */
const findNearNames = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<readonly Named[]> => {
  const { searchQuery } = resource;
  if (!searchQuery) return nearest(await readNames(session, resource, path, {}), wanted);
  for (const beginning of beginningsOf(wanted)) {
    const query = { ...searchQuery(beginning), limit: MAX_FOUND };
    const near = nearest(await readNames(session, resource, path, query), wanted);
    if (near.length > 0) return near;
  }
  return [];
};

/** "lovelce", "lovelc", "lovel" …; of a long text in larger steps. */
const beginningsOf = (wanted: string): readonly string[] => {
  // Code points: half a character finds nothing.
  const characters = Array.from(wanted.trim());
  const { length } = characters;
  const step = Math.max(1, (length - MIN_BEGINNING) / (MAX_REQUESTS - 1));
  return Array.from({ length: MAX_REQUESTS }, (_, at) => Math.round(length - at * step))
    .filter((shorter) => shorter >= MIN_BEGINNING)
    .map((shorter) => characters.slice(0, shorter).join(''));
};

const readNames = async (
  session: Session,
  { items, view, id, label, isWhole, names = (one) => [label(one)] }: Locatable,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Promise<readonly Named[]> => {
  const response = await session.client.request('GET', path, {
    query: isWhole ? {} : { limit: MAX_ITEMS, ...query },
  });
  const page = session.read(z.looseObject({ [items]: z.array(view) }), response);
  return (page[items] as readonly unknown[]).map((one) => ({ id: id(one), names: names(one) }));
};

const nearest = (candidates: readonly Named[], wanted: string): readonly Named[] =>
  candidates
    .map((named) => ({ named, distance: Math.min(...named.names.map(distanceTo(wanted))) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_SHOWN)
    .map(({ named }) => named);

const WORD_START = /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/u;

/** To the name or to the nearest of its words; a beginning is as good as the whole. */
const distanceTo =
  (wanted: string) =>
  (name: string): number => {
    const text = fold(wanted);
    const words = [fold(name), ...fold(name).split(WORD_START)];
    return Math.min(
      ...words.map((word) => (word.startsWith(text) ? 0 : nameDistance(text, word.trim()))),
    );
  };

/** What is needed to find one item of a collection. */
export interface Locatable<View = unknown> extends Pick<
  CliResource<View>,
  'name' | 'noun' | 'path' | 'items' | 'view' | 'id' | 'label'
> {
  /** The argument that names it; absent: single items cannot be addressed. */
  readonly item?: CliItem & {
    /** The parameter of the list that finds an item by its name. */
    readonly condition?: string;
  };
  /** The API returns all items at once: a list has no options of paging. */
  readonly isWhole?: true;
  /** The API has no GET of one item: it is read from the list, also by its id. */
  readonly isOnlyListed?: true;
  /** Absent: as `item` says. */
  readonly locate?: Locate;
  /** What to give instead of a text that names no item. */
  readonly hintFor?: (wanted: string) => string | undefined;
  /** By which people call an item; absent: its label. */
  readonly names?: (view: View) => readonly string[];
  /** Restricts the list to names with a word that begins like this, for completion and suggestions. */
  readonly searchQuery?: (start: string) => Readonly<Record<string, unknown>>;
}

type Scanned<View> = Pick<Locatable<View>, 'items' | 'view' | 'id' | 'noun' | 'names'>;

const MAX_CANDIDATES = 10;

/**
 * The one thing that the text names, among those that the gateway found for it: by a whole name,
 * ignoring case, or else the only one found. Undefined if nothing was found; throws a CliError that
 * lists the candidates if there are several.
 */
export const findByName = <Thing extends Named>(
  found: readonly Thing[],
  { noun, wanted }: { readonly noun: string; readonly wanted: string },
): Thing | undefined => {
  const key = nameKey(wanted);
  const exact = found.filter(({ names }) => names.some((name) => nameKey(name) === key));
  const matching = exact.length > 0 ? exact : found;
  const [first, second] = matching;
  if (!second) return first;
  const lines = matching.slice(0, MAX_CANDIDATES).map(describeNamed);
  if (matching.length > MAX_CANDIDATES) lines.push(`and ${matching.length - MAX_CANDIDATES} more`);
  throw new CliError('AMBIGUOUS', `"${printable(wanted)}" matches ${matching.length} ${noun}s.`, [
    'Pass the id of one of them:',
    ...lines,
  ]);
};

/** An item that was found by what the operator typed. */
interface Located {
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

const isUuid = (text: string): boolean => UUID.test(text);

/** By the id alone. */
const byId: Locate = (_session, _path, wanted) =>
  Promise.resolve({ id: encodeURIComponent(wanted) });

type ListedItem = Readonly<Record<string, unknown>>;

const readPage = async (
  { client, read }: Session,
  path: string,
  query: Readonly<Record<string, unknown>>,
  items: string,
): Promise<{ readonly items: readonly ListedItem[]; readonly total: number }> => {
  const Page = z.looseObject({
    [items]: z.array(z.record(z.string(), z.unknown())),
    total: z.int(),
  });
  const page = read(Page, await client.request('GET', path, { query }));
  return { items: page[items] as readonly ListedItem[], total: page.total as number };
};

const responseOf = (item: ListedItem): GatewayResponse => ({
  status: 200,
  text: JSON.stringify(item),
});

/** By the id if the text is one. */
export const byIdOr =
  (locate: Locate): Locate =>
  (session, path, wanted) =>
    isUuid(wanted) ? Promise.resolve({ id: wanted.toLowerCase() }) : locate(session, path, wanted);

/** By a condition of the list that at most one item meets: `name`, `email`. */
const byCondition =
  (field: string, items: string): Locate =>
  async (session, path, wanted) => {
    const page = await readPage(session, path, { [field]: wanted }, items);
    const [found] = page.items;
    return found && { id: String(found['id']), response: responseOf(found) };
  };

const PAGE = 500;

const readAll = async (
  session: Session,
  path: string,
  items: string,
): Promise<readonly ListedItem[]> => {
  const all: ListedItem[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await readPage(session, path, { limit: PAGE, offset }, items);
    all.push(...page.items);
    if (offset + PAGE >= page.total) return all;
  }
};

/** By reading the list: by the id, or else by the text of one of these properties, ignoring case. */
export const byScan =
  <View>(
    { items, view, id, noun, names = () => [] }: Scanned<View>,
    searched: readonly string[],
  ): Locate =>
  async (session, path, wanted) => {
    const all = (await readAll(session, path, items)).map((item) => {
      const response = responseOf(item);
      const read = session.read(view, response);
      const texts = searched.map((name) => item[name]).filter((text) => typeof text === 'string');
      return { id: id(read), texts, names: [...texts, ...names(read)], response };
    });
    const key = nameKey(wanted);
    return (
      all.find((each) => each.id === wanted || each.id === wanted.toLowerCase()) ??
      findByName(
        all.filter(({ texts }) => texts.some((each) => nameKey(each) === key)),
        { noun: withoutArticle(noun), wanted },
      )
    );
  };

/** Finds the item of the collection at `path` that the operator named, or throws a CliError. */
export const locateItem = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<Located> =>
  (await locateOf(resource)(session, path, wanted)) ??
  raiseNotFound(session, resource, path, wanted);

const locateOf = (resource: Locatable): Locate => {
  const { locate, item, items, isOnlyListed } = resource;
  const { condition, searched } = item ?? {};
  if (locate) return locate;
  if (condition !== undefined) return byIdOr(byCondition(condition, items));
  if (!searched) return byId;
  return isOnlyListed ? byScan(resource, searched) : byIdOr(byScan(resource, searched));
};

/** Throws a CliError with the items that may be meant. */
export const raiseNotFound = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<never> => {
  const { name, noun, hintFor } = resource;
  const hint = hintFor?.(wanted);
  // A credential that may not list the items must not hide the reason.
  const near = await findNearNames(session, resource, path, wanted).catch(() => []);
  const what = capitalise(withoutArticle(noun));
  throw new CliError('NOT_FOUND', `${what} "${printable(wanted)}" not found.`, [
    ...(hint === undefined ? [] : [hint]),
    ...(near.length > 0 ? ['Did you mean:', ...near.map(describeNamed)] : []),
    `List all: rollgate ${[name, 'list', session.tenant].filter(Boolean).join(' ')}`,
  ]);
};

export const withoutArticle = (noun: string): string => noun.replace(/^an? /, '');
