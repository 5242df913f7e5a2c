import { z } from 'zod';
import { commandOf, type Commands, type CommandType, type Results } from '../../domain/commands.js';
import type { Actor } from '../../domain/kernel/actor.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import {
  type CodeWithMessage,
  type DeclaredRefusal,
  type IfMatch,
  raise,
} from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { Page, PageOf } from '../../ports/entity-reader.js';
import { idField, pageOf } from '../../routes/fields.js';
import { NOT_MODIFIED, type ResponseShape } from '../../routes/responses.js';
import { type RouteRequest, type RouteResponse, runCommand } from '../../routes/route.js';
import { precondition } from '../conditional.js';

/** A request of a key or an operator to a route of a tenant. */
type TenantRequest<Params = unknown, Query = unknown, Body = unknown> = RouteRequest<
  { readonly tenant: Tenant; readonly actor: Actor },
  Params,
  Query,
  Body
>;

type RequestOfOne<Body = unknown> = TenantRequest<{ readonly id: string }, unknown, Body>;

/** Resources of a tenant that can be listed. */
interface ListedResource<Entity> {
  /** What descriptions of responses call it: `room`. */
  readonly noun: string;
  /** `/rooms` */
  readonly path: string;
  readonly view: z.ZodObject;
  readonly present: (entity: Entity, tenant: Tenant) => unknown;
}

export interface ReadList<Entity, Query extends z.ZodObject> {
  readonly query: Query;
  readonly read: (
    tenantId: TenantId,
    query: z.output<Query>,
    tenant: Tenant,
  ) => Promise<PageOf<Entity>>;
}

/** What a route that lists resources by pages consists of, besides its caller, name and summary. */
export const listRoute = <Entity, Query extends z.ZodObject & z.ZodType<Page>>(
  { noun, path, view, present }: ListedResource<Entity>,
  { query, read }: ReadList<Entity, Query>,
) => {
  // `/role-mappings`: `role_mappings`
  const name = path.slice(1).replaceAll('-', '_');
  const body = pageOf(name, view, `${view.meta()?.id ?? ''}List`);
  return {
    method: 'GET',
    path,
    query,
    responses: { 200: { description: `A page of ${noun}s.`, body } },
    handler: async (request: TenantRequest<unknown, z.output<Query>>): Promise<RouteResponse> => {
      const { tenant } = request.caller;
      const { limit, offset } = request.query;
      const { items, total } = await read(tenant.id, request.query, tenant);
      const views = items.map((entity) => present(entity, tenant));
      return { status: 200, body: { [name]: views, total, limit, offset } };
    },
  } as const;
};

/** Resources of a tenant that have an id and a version. */
interface ReadResource<Entity, Id> extends ListedResource<Entity> {
  readonly present: (entity: Entity, tenant: Tenant) => { readonly id: string };
  readonly versionOf: (entity: Entity) => number;
  /** Undefined if the text is no id. */
  readonly parse: (text: string) => Id | undefined;
  /** The code for an unknown id. */
  readonly missing: CodeWithMessage;
}

/** The routes that read a kind of resource. */
export const readRoutes = <Entity, Id>(resource: ReadResource<Entity, Id>) => {
  const { noun, path, view, present, versionOf, parse, missing } = resource;
  const ofOne = {
    path: `${path}/{id}`,
    params: z.object({ id: idField(`The ${noun}'s id.`) }),
  } as const;
  const idFrom = (text: string): Id => parse(text) ?? raise(missing);
  const respond = (status: number, entity: Entity, tenant: Tenant) => ({
    status,
    body: present(entity, tenant),
    version: versionOf(entity),
  });

  return {
    ofOne,
    idFrom,
    respond,
    list: <Query extends z.ZodObject & z.ZodType<Page>>(how: ReadList<Entity, Query>) =>
      listRoute(resource, how),
    get: (reader: { readonly find: (tenantId: TenantId, id: Id) => Promise<Entity | undefined> }) =>
      ({
        ...ofOne,
        method: 'GET',
        responses: { 200: { description: `The ${noun}.`, body: view }, 304: NOT_MODIFIED },
        refusals: [missing, 'PRECONDITION_FAILED'],
        handler: async ({ caller: { tenant }, params }: RequestOfOne) => {
          const entity = await reader.find(tenant.id, idFrom(params.id));
          return respond(200, entity ?? raise(missing), tenant);
        },
      }) as const,
  };
};

interface Resource<
  Id,
  Create extends CommandType,
  Update extends CommandType,
  Delete extends CommandType,
> extends ReadResource<Results[Create] | Results[Update], Id> {
  readonly commands: { readonly create: Create; readonly update: Update; readonly delete: Delete };
  /** How commands name it: `{ roomId }`. */
  readonly target: (id: Id) => Commands[Delete];
}

/** What a write takes, and the command that it makes of it. */
export interface Write<Body extends z.ZodType, Given extends readonly unknown[], Fields> {
  readonly body: Body;
  readonly fields: (...given: [...Given, body: z.output<Body>, tenant: Tenant]) => Fields;
  /** Beyond an unknown id and a failed precondition. */
  readonly refusals?: readonly DeclaredRefusal[];
}

/**
 * What the usual routes of a kind of resource consist of: to be spread into a declaration, which adds
 * who may call it, its name and summary, and what is special about it.
 */
export const resourceRoutes = <
  Id,
  Create extends CommandType,
  Update extends CommandType,
  Delete extends CommandType,
>(
  resource: Resource<Id, Create, Update, Delete>,
) => {
  const { noun, path, view, missing, commands, target } = resource;
  const reads = readRoutes(resource);
  const { ofOne, idFrom, respond } = reads;
  const targetOf = ({ params, ifMatch }: RequestOfOne) => ({
    ...target(idFrom(params.id)),
    ...precondition(ifMatch),
  });

  return {
    ...reads,
    targetOf,
    create: <Body extends z.ZodType>({
      body,
      fields,
      refusals = [],
      tagged = false,
    }: Write<Body, [], Commands[Create]> & Pick<ResponseShape, 'tagged'>) =>
      ({
        method: 'POST',
        path,
        command: commands.create,
        body,
        responses: { 201: { description: `The ${noun}.`, body: view, tagged } },
        refusals,
        handler: async (request: TenantRequest<unknown, unknown, z.output<Body>>) => {
          const { tenant } = request.caller;
          const command = commandOf(commands.create, fields(request.body, tenant));
          const created = respond(201, await runCommand(request, tenant.id, command), tenant);
          return { ...created, location: `${path}/${created.body.id}` };
        },
      }) as const,
    update: <Body extends z.ZodType>({
      body,
      fields,
      refusals = [],
    }: Write<
      Body,
      [target: Commands[Delete] & { readonly ifMatch?: IfMatch }],
      Commands[Update]
    >) =>
      ({
        ...ofOne,
        method: 'PATCH',
        command: commands.update,
        body,
        responses: { 200: { description: `The updated ${noun}.`, body: view } },
        refusals: [missing, ...refusals, 'PRECONDITION_FAILED'],
        handler: async (request: RequestOfOne<z.output<Body>>) => {
          const { tenant } = request.caller;
          const given = fields(targetOf(request), request.body, tenant);
          const command = commandOf(commands.update, given);
          return respond(200, await runCommand(request, tenant.id, command), tenant);
        },
      }) as const,
    delete: () =>
      ({
        ...ofOne,
        method: 'DELETE',
        command: commands.delete,
        responses: { 204: { description: `The ${noun} was deleted.` } },
        refusals: [missing, 'PRECONDITION_FAILED'],
        handler: async (request: RequestOfOne) => {
          const { id } = request.caller.tenant;
          await runCommand(request, id, commandOf(commands.delete, targetOf(request)));
          return { status: 204 };
        },
      }) as const,
  };
};
