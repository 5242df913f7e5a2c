import { z } from 'zod';
import { idField, scopeField } from '../../routes/fields.js';
import { nativeRoute, type Route } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Scope } from '../../domain/scopes.js';
import { seatsAvailable } from '../../domain/tenant/tenant.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Key and capacity';

const keyMetadata = (scopes: readonly Scope[]) =>
  z
    .strictObject({
      key_id: idField("The key's id."),
      tenant_slug: z.string(),
      tenant_id: idField("The tenant's id."),
      scopes: z.array(scopeField(scopes)).describe('Scopes of the key.'),
      description: z.string().describe('Label of the key.'),
    })
    .meta({ id: 'KeyMetadata' });

const Usage = z
  .strictObject({
    seat_capacity: z.int().min(0).nullable().describe('Maximum number of active users, or null.'),
    seats_provisioned: z.int().min(0).describe('Number of active users.'),
    seats_available: z.int().min(0).nullable().describe('Seats left, or null without a limit.'),
  })
  .meta({ id: 'Usage' });

const describeKey = ({ extensions: { scopes } }: RouteParts): Route =>
  nativeRoute({
    method: 'GET',
    path: '/me',
    scope: 'any key',
    operationId: 'getKey',
    tag,
    summary: 'Get the API key in use',
    responses: {
      200: { description: 'The key that authenticated the request.', body: keyMetadata(scopes) },
    },
    handler: ({ caller: { key, tenant } }) =>
      Promise.resolve({
        status: 200,
        body: {
          key_id: key.id,
          tenant_slug: tenant.slug,
          tenant_id: tenant.id,
          // Those of a disabled plugin are not known.
          scopes: key.scopes.filter((scope) => scopes.includes(scope)),
          description: key.description,
        },
      }),
  });

const readUsage = ({ tenants }: RouteParts): Route =>
  nativeRoute({
    method: 'GET',
    path: '/usage',
    scope: 'usage',
    operationId: 'getUsage',
    tag,
    summary: 'Get seat usage',
    responses: { 200: { description: 'Seat capacity and usage.', body: Usage } },
    handler: async ({ caller }) => {
      // Not from the cached caller: a client that has just created a user expects the seat to be
      // taken.
      const tenant =
        (await tenants.find(caller.tenant.id)) ??
        raise('TENANT_NOT_FOUND', 'This tenant has been deleted.');
      const body = toWire(Usage, { ...tenant, seatsAvailable: seatsAvailable(tenant) });
      return { status: 200, body };
    },
  });

/** The API key in use, and seat usage (interface.md, Key and capacity). */
export const keyRoutes = (parts: RouteParts): readonly Route[] => [
  describeKey(parts),
  readUsage(parts),
];
