import { z } from 'zod';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { PAGE_FIELDS, pageOf } from '../../routes/fields.js';
import {
  operatorRoute,
  tenantRoute,
  type Route,
  type RouteResponse,
  runCommand,
} from '../../routes/route.js';
import { fromWire } from '../../routes/wire.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { newId } from '../../pipeline/submit.js';
import { precondition } from '../conditional.js';
import { NewTenant, presentTenant, TenantChanges, TenantView } from './tenant-view.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Tenants';

const respondWithTenant = (status: number, tenant: Tenant): RouteResponse => ({
  status,
  body: presentTenant(tenant),
  version: tenant.version,
});

const listTenants = ({ tenants }: RouteParts): Route =>
  operatorRoute({
    method: 'GET',
    path: '/tenants',
    operationId: 'listTenants',
    isForBoundOperators: true,
    tag,
    summary: 'List tenants',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: { description: 'A page of tenants.', body: pageOf('tenants', TenantView, 'TenantList') },
    },
    handler: async ({ query, caller }) => {
      const page = await tenants.page(query, caller.tenants);
      const views = page.items.map(presentTenant);
      return { status: 200, body: { tenants: views, total: page.total, ...query } };
    },
  });

const createTenant = (): Route =>
  operatorRoute({
    method: 'POST',
    path: '/tenants',
    operationId: 'createTenant',
    audit: 'created the tenant',
    role: 'owner',
    tag,
    summary: 'Create a tenant',
    command: 'tenant.create',
    body: NewTenant,
    responses: { 201: { description: 'The tenant.', body: TenantView, tagged: true } },
    refusals: ['SLUG_TAKEN'],
    handler: async (request) => {
      const { scim, ...given } = request.body;
      const tenant = await runCommand(request, newId<TenantId>(), {
        type: 'tenant.create',
        ...fromWire(given),
        scim: fromWire(scim),
      });
      return { ...respondWithTenant(201, tenant), location: `/tenants/${tenant.slug}` };
    },
  });

const readTenant = (): Route =>
  tenantRoute({
    method: 'GET',
    path: '',
    operationId: 'getTenant',
    tag,
    summary: 'Get a tenant',
    responses: {
      200: { description: 'The tenant.', body: TenantView },
      304: NOT_MODIFIED,
    },
    refusals: ['PRECONDITION_FAILED'],
    handler: ({ caller: { tenant } }) => Promise.resolve(respondWithTenant(200, tenant)),
  });

const updateTenant = ({ keys }: RouteParts): Route =>
  tenantRoute({
    method: 'PATCH',
    path: '',
    operationId: 'updateTenant',
    tag,
    summary: "Update a tenant's settings",
    command: 'tenant.update',
    description:
      'A `seat_capacity` below current use deactivates no users; it only prevents new ones.',
    body: TenantChanges,
    responses: { 200: { description: 'The updated tenant.', body: TenantView } },
    refusals: ['PRECONDITION_FAILED'],
    handler: async (request) => {
      const { scim, ...given } = request.body;
      const { id } = request.caller.tenant;
      const tenant = await runCommand(request, id, {
        type: 'tenant.update',
        ...fromWire(given),
        ...(scim && { scim: fromWire(scim) }),
        ...precondition(request.ifMatch),
      });
      keys.invalidateTenant(id);
      return respondWithTenant(200, tenant);
    },
  });

const deleteTenant = ({ tenants, keys, signIn }: RouteParts): Route =>
  tenantRoute({
    method: 'DELETE',
    path: '',
    operationId: 'deleteTenant',
    audit: 'deleted the tenant',
    role: 'owner',
    stepUp: true,
    tag,
    summary: 'Delete a tenant',
    command: 'tenant.delete',
    description:
      'Cannot be undone. Its API keys stop working within 1 s; its data is purged in the background.',
    responses: { 204: { description: 'The tenant was deleted.' } },
    refusals: ['PRECONDITION_FAILED'],
    handler: async (request) => {
      const { id, slug } = request.caller.tenant;
      await runCommand(request, id, {
        type: 'tenant.delete',
        ...precondition(request.ifMatch),
      });
      keys.invalidateTenant(id);
      // Not in a dry run. Another tenant may get this slug: operators of this one may not see it.
      if (!(await tenants.find(id))) {
        await signIn.operators.unbind(slug);
        await signIn.links.endOfTenant(slug);
      }
      return { status: 204 };
    },
  });

/** Tenants (decisions.md 8). */
export const tenantRoutes = (parts: RouteParts): readonly Route[] =>
  [listTenants, createTenant, readTenant, updateTenant, deleteTenant].map((declare) =>
    declare(parts),
  );
