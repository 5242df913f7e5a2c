import { z } from 'zod';
import { faultOfName } from '../domain/name-rule.js';

/** The fields that many routes share. The values of a query arrive as text. */

const wholeNumber = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${lowest} to ${highest}`)
    .transform(Number)
    .pipe(
      z.int().min(lowest, `must be at least ${lowest}`).max(highest, `must be at most ${highest}`),
    );

/** The `limit` and `offset` of every native list (decisions.md 3): anything else is refused. */
export const PAGE_FIELDS = {
  limit: wholeNumber(1, 500).default(100).describe('How many to answer with at most.'),
  offset: wholeNumber(0, 999_999_999).default(0).describe('How many to pass over.'),
};

/** Of a list that is whole where no `limit` is given (decisions.md 3). */
export const WHOLE_LIST_FIELDS = {
  limit: PAGE_FIELDS.limit
    .unwrap()
    .optional()
    .describe('How many to answer with at most; all of them where it is not given.'),
  offset: PAGE_FIELDS.offset,
};

/**
 * The envelope of a list: the items under their own name, and the place of the page. `id` names it
 * in the OpenAPI document, so that generated clients get one type for each kind of list.
 */
export const pageOf = <Name extends string, Item extends z.ZodType>(
  name: Name,
  item: Item,
  id: string,
) => {
  const items = { [name]: z.array(item) } as { readonly [N in Name]: z.ZodArray<Item> };
  return z
    .strictObject({
      ...items,
      total: z.int().min(0).describe('Number of items on all pages.'),
      limit: z
        .int()
        .min(0)
        .describe('The limit that was applied; of a complete list, its number of items.'),
      offset: z.int().min(0).describe('Number of items before this page.'),
    })
    .meta({ id });
};

/** A condition that is on or off: `true` or `false`, in these letters. */
export const flagField = () =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .pipe(z.boolean());

const isTold = (text: string): boolean => {
  const year = new Date(text).getUTCFullYear();
  return year >= 0 && year <= 9_999;
};

/**
 * A point in time, ISO 8601 with its offset; in UTC, too, it has a year of four digits, so that it
 * can be told in the form in which it may be given.
 */
export const timeField = () => {
  const error = 'must be a time like 2026-01-31T12:00:00.000Z';
  return z.iso.datetime({ offset: true, error }).refine(isTold, error);
};

/** An id in a path or an answer. A path's is parsed by its handler, which says what is missing. */
export const idField = (description: string) => z.string().meta({ format: 'uuid', description });

/** A time in an answer: ISO 8601 UTC with milliseconds. */
export const instantField = (description: string) =>
  z.string().meta({ format: 'date-time', description });

const CONTROL = /\p{Cc}/u;

/** A name or label: one line, without control characters (decisions.md 2). */
export const lineField = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters');

/** A name or identifier by which something is recognised: a line that looks like no other one. */
export const identifierField = (longest: number) =>
  lineField(longest).superRefine((text, context) => {
    const message = faultOfName(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
