import { z } from 'zod';
import type { Extensions } from '../../routes/extensions.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import type { SearchReader, TenantReader } from '../../ports/tenants.js';
import { fold } from '../../domain/kernel/names.js';
import { SLUG_PARAM, tenantBySlug } from './operator-versions.js';

export interface SearchRouteParts {
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
  readonly search: SearchReader;
  readonly extensions: Pick<Extensions, 'searches'>;
}

const MAX_RESULTS = 20;

const KINDS =
  '`user`, `room`, `group`, `sms_list`, `role_mapping`, `api_key`, `command`, or what a plugin names';

const SearchResults = z
  .strictObject({
    results: z.array(
      z.strictObject({
        kind: z.string().describe(`${KINDS}.`),
        id: z.string().describe("The object's id, by which the API knows it."),
        title: z.string(),
        subtitle: z.string().describe('Distinguishes objects with the same title.'),
      }),
    ),
  })
  .meta({
    id: 'SearchResults',
    examples: [
      {
        results: [
          {
            kind: 'user',
            id: '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f',
            title: 'Ada Lovelace',
            subtitle: 'ada@example.com',
          },
        ],
      },
    ],
  });

/** One search over everything that a tenant has. */
export const searchRoutes = ({
  tenants,
  search,
  extensions,
}: SearchRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/tenants/{slug}/search',
    operationId: 'searchTenant',
    tag: 'Overview',
    summary: 'Search a tenant',
    description:
      'Finds users, rooms, SCIM groups, SMS lists, role mappings, API keys and objects of ' +
      'plugins by the beginning of any word of their name, ignoring case, or by id; users also by ' +
      'user name, e-mail, employee number and external id, commands by id and request id. Several ' +
      `words may be in any order. At most ${MAX_RESULTS} results, users first.`,
    params: z.object(SLUG_PARAM),
    query: z.strictObject({
      q: z
        .string()
        .trim()
        .min(1)
        .max(256)
        .describe('The beginning of a word of a name, several words, or an id.'),
    }),
    responses: { 200: { description: 'The results.', body: SearchResults } },
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query: { q } }) => {
      const tenant = await tenantBySlug(tenants, slug);
      const found = await Promise.all([
        search.find(tenant.id, q),
        ...extensions.searches.map((find) => find(tenant, fold(q))),
      ]);
      const seen = new Set<string>();
      const results = found.flat().filter(({ kind, id }) => {
        const isNew = !seen.has(`${kind} ${id}`);
        seen.add(`${kind} ${id}`);
        return isNew;
      });
      return { status: 200, body: { results: results.slice(0, MAX_RESULTS) } };
    },
  }),
];
