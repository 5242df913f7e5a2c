import { z } from 'zod';
import type { Scope } from '../domain/scopes.js';
import { isVisible, nameError } from '../domain/kernel/names.js';

/** Fields shared by many routes. Query values arrive as text. */

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** `limit` and `offset` of native lists (decisions.md 3). */
export const PAGE_FIELDS = {
  limit: wholeNumber(1, 500).default(100).describe('Maximum number of results to return.'),
  offset: wholeNumber(0, 999_999_999).default(0).describe('Number of results to skip.'),
};

/** For lists that are complete by default (decisions.md 3). */
export const COMPLETE_LIST_FIELDS = {
  limit: PAGE_FIELDS.limit
    .unwrap()
    .optional()
    .describe('Maximum number of results to return. Default: all.'),
  offset: PAGE_FIELDS.offset,
};

/**
 * The envelope of a list: the items under their name, and the position of the page. `id` names it in
 * the OpenAPI document, so that generated clients get a type for each kind of list.
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
        .describe('The applied limit; for a complete list, its number of items.'),
      offset: z.int().min(0).describe('Number of items before this page.'),
    })
    .meta({ id });
};

/** The body of a PATCH: at least one of these fields. */
export const changesOf = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z
    .strictObject(fields)
    .partial()
    .refine(
      (changes) => Object.values(changes).some((value) => value !== undefined),
      `must contain at least one of ${Object.keys(fields).join(', ')}`,
    )
    .meta({ minProperties: 1 });

const customScalar = z.union([z.string(), z.number(), z.boolean()]);

/** A value of an attribute that the tenant declares; its type is in the declaration. */
export const CustomValue = z.union([customScalar, z.array(customScalar)]);

/** `true` or `false`, in lower case. */
export const flagField = () =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .pipe(z.boolean());

const hasFourDigitYear = (text: string): boolean => {
  const year = new Date(text).getUTCFullYear();
  return year >= 0 && year <= 9_999;
};

/** ISO 8601 with offset. The year must have four digits in UTC too, so that responses can show it. */
export const timeField = () => {
  const error = 'must be a time like 2026-01-31T12:00:00.000Z';
  return z.iso.datetime({ offset: true, error }).refine(hasFourDigitYear, error);
};

/** The order of a list: one of these fields, with `-` before it from the last to the first. */
export const sortField = <Name extends string>(fields: Readonly<Record<Name, unknown>>) =>
  z
    .enum((Object.keys(fields) as Name[]).flatMap((name) => [name, `-${name}` as const]))
    .optional()
    .describe('Order of the list; with `-`, descending.');

/** What a `sortField` of these fields sorts by. */
export const parseSort = <Name extends string, By>(
  fields: Readonly<Record<Name, By>>,
  text: Name | `-${Name}`,
) => ({ by: fields[text.replace(/^-/, '') as Name], descending: text.startsWith('-') });

/** A text that a list is filtered by. */
export const textFilter = (description: string) =>
  z.string().min(1).max(256).optional().describe(description);

/** A text in a response, with an example for the documentation. */
export const textLike = (example: string) => z.string().meta({ examples: [example] });

/** An id in a path or a response. Handlers parse ids in paths: an invalid one is 404. */
export const idField = (description: string) => z.string().meta({ format: 'uuid', description });

/** The scope of an API key. It has a name, since Java clients cannot read a nested list of constants. */
export const scopeField = (scopes: readonly Scope[]): z.ZodType<Scope, Scope> =>
  z.enum(scopes).meta({ id: 'Scope' });

/** A time in a response: ISO 8601 UTC with milliseconds. */
export const instantField = (description: string) =>
  z.string().meta({ format: 'date-time', description });

const CONTROL = /\p{Cc}/u;

/** One line of visible text, without control characters (decisions.md 2). */
export const lineField = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !CONTROL.test(text), 'must not contain control characters')
    .refine((text) => text === '' || isVisible(text), 'must contain a visible character');

/** A name or identifier: a line without invisible characters. */
export const identifierField = (maxLength: number) =>
  lineField(maxLength).superRefine((text, context) => {
    const message = nameError(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
