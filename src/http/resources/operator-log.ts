import { z } from 'zod';
import type { OperatorLogEntry } from '../../ports/operator-log.js';
import { idField, instantField, PAGE_FIELDS, textLike } from '../../routes/fields.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { parseOperatorId } from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import { readLogCursor, writeLogCursor } from './log-cursor.js';
import type { RouteParts } from './route-parts.js';

const EntryView = z
  .strictObject({
    id: idField("The entry's id."),
    at: instantField('When it happened.'),
    actor: z.strictObject({
      id: idField('Null for the admin token, setup links and people who are not known.').nullable(),
      name: textLike('Ada Lovelace'),
    }),
    action: textLike('createApiKey').describe(
      'The operation, by its name in this document, or `signIn`.',
    ),
    text: textLike('created the API key "Okta" of acme').describe(
      'What the actor did, for people: `created the API key "Okta" of acme`.',
    ),
    tenant: z.string().nullable().describe("The tenant's slug."),
    error: z.string().nullable().describe('Why a sign-in was refused; null: it was done.'),
  })
  .meta({ id: 'OperatorLogEntry' });

const textOf = ({ text, about, tenant }: OperatorLogEntry): string =>
  [
    text,
    ...(about === null ? [] : [`"${about}"`]),
    ...(tenant === null ? [] : [`of ${tenant}`]),
  ].join(' ');

const present = (entry: OperatorLogEntry) =>
  toWire(EntryView, { ...entry, text: textOf(entry), error: entry.refusal });

/** Sign-ins, and what operators did that needs to be traced to a person. */
export const operatorLogRoutes = ({
  operatorLog,
}: Pick<RouteParts, 'operatorLog'>): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator-log',
    operationId: 'listOperatorLog',
    role: 'owner',
    tag: 'Operators',
    summary: "Read the operators' log",
    description:
      'Sign-ins, also those refused; operators, their roles, links and passkeys; setup links; API ' +
      'keys, rotated secrets and captures; newest first. Kept as long as the provisioning log.',
    query: z.strictObject({
      operator: idField('What this operator did, and what was done to their account.').optional(),
      limit: PAGE_FIELDS.limit,
      cursor: z.string().max(200).optional().describe('`next` of the previous page.'),
    }),
    responses: {
      200: {
        description: 'A page of entries.',
        body: z
          .strictObject({
            entries: z.array(EntryView),
            next: z.string().nullable().describe('The cursor of older entries; null: none.'),
          })
          .meta({ id: 'OperatorLogPage' }),
      },
    },
    refusals: ['OPERATOR_NOT_FOUND'],
    handler: async ({ query: { operator, limit, cursor } }) => {
      const id = operator === undefined ? undefined : parseOperatorId(operator);
      if (operator !== undefined && id === undefined) raise('OPERATOR_NOT_FOUND');
      const found = await operatorLog.page({
        ...(id !== undefined && { operator: id }),
        ...(cursor !== undefined && { before: readLogCursor(cursor) }),
        limit: limit + 1,
      });
      const entries = found.slice(0, limit);
      const last = entries.at(-1);
      const next = found.length > limit && last ? writeLogCursor(last) : null;
      return { status: 200, body: { entries: entries.map(present), next } };
    },
  }),
];
