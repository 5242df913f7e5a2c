import { z } from 'zod';
import { PAGE_FIELDS, textLike } from '../../routes/fields.js';
import { tenantRoute, type Route } from '../../routes/route.js';
import { fold } from '../../domain/kernel/names.js';
import type { RouteParts } from './route-parts.js';

const RESULTS = 20;
/** Of each kind, unless the client says how many it wants. */
const OF_KIND = 6;

const KINDS =
  '`user`, `room`, `group`, `sms_list`, `role_mapping`, `api_key`, `command`, or what a plugin names';

const SearchResults = z
  .strictObject({
    results: z.array(
      z.strictObject({
        kind: z.string().describe(`${KINDS}.`),
        id: z.string().describe("The object's id, by which the API knows it."),
        title: textLike('Ada Lovelace'),
        subtitle: textLike('ada@example.com').describe(
          'Distinguishes objects with the same title.',
        ),
      }),
    ),
    has_more: z.boolean().describe('Whether a larger `limit` returns more.'),
  })
  .meta({ id: 'SearchResults' });

/** One search over everything that a tenant has. */
export const searchRoutes = ({ search, extensions }: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/search',
    operationId: 'searchTenant',
    tag: 'Overview',
    summary: 'Search a tenant',
    description:
      'Finds users, rooms, SCIM groups, SMS lists, role mappings, API keys and objects of ' +
      'plugins by the beginning of any word of their name, ignoring case, or by id; users also by ' +
      'user name, e-mail, employee number and external id, commands by id and request id, and refused ' +
      'ones by the name of what they would have created. Several words may be in any order. Users ' +
      `come first. Without \`limit\`, at most ${RESULTS} results, and ${OF_KIND} of each kind.`,
    query: z.strictObject({
      q: z
        .string()
        .trim()
        .min(1)
        .max(256)
        .describe('The beginning of a word of a name, several words, or an id.'),
      limit: PAGE_FIELDS.limit.unwrap().optional().describe('Number of results, of any kind.'),
    }),
    responses: { 200: { description: 'The results.', body: SearchResults } },
    handler: async ({ caller: { tenant }, query: { q, limit } }) => {
      const found = await Promise.all([
        search.find(tenant.id, q, { limit: (limit ?? OF_KIND) + 1 }),
        ...extensions.searches.map((find) => find(tenant, fold(q))),
      ]);
      const all = new Map(found.flat().map((one) => [`${one.kind} ${one.id}`, one]));
      const counts = new Map<string, number>();
      const results = [...all.values()]
        .filter(({ kind }) => {
          const count = (counts.get(kind) ?? 0) + 1;
          counts.set(kind, count);
          return count <= (limit ?? OF_KIND);
        })
        .slice(0, limit ?? RESULTS);
      return { status: 200, body: { results, has_more: results.length < all.size } };
    },
  }),
];
