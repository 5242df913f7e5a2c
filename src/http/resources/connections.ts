import { z } from 'zod';
import { raise } from '../../domain/kernel/refusals.js';
import {
  clientOf,
  connectionState,
  CONNECTION_STATES,
  MAX_CYCLES,
  NO_CONNECTION,
  usualIntervalMs,
} from '../../domain/tenant/connection.js';
import {
  type ConnectionOfKey,
  failureInWords,
  isForProvider,
} from '../../explain/connection-of-key.js';
import { type FailedAuthentication, FAILURE_REASONS } from '../../ports/connections.js';
import type { Page } from '../../ports/entity-reader.js';
import type { ApiKeyWithUse } from '../../ports/tenants.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { TenantOperator } from '../../routes/caller.js';
import { idField, instantField, PAGE_FIELDS, pageOf, textLike } from '../../routes/fields.js';
import { type Route, tenantRoute } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import { keyIdIn } from './api-keys.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Connections';
const count = () => z.int().min(0);

const CycleView = z
  .strictObject({
    from: instantField('Start of its first request.'),
    until: instantField('End of its last request so far.'),
    requests: count(),
    refused: count().describe('Requests with an error status, or with a refused Bulk operation.'),
    users_changed: count().describe(
      'Users that were created, changed or deleted, or whose memberships changed. With several ' +
        'gateways, one user may be counted more than once.',
    ),
  })
  .meta({ id: 'ConnectionCycle' });

const ConnectionView = z
  .strictObject({
    key_id: idField('The API key.'),
    prefix: z.string(),
    description: z.string().describe('Label of the key.'),
    client: z
      .string()
      .nullable()
      .describe('The identity provider or program, by its `User-Agent`; null if it sends none.'),
    user_agent: z.string().nullable(),
    state: z
      .enum(CONNECTION_STATES)
      .describe(
        '`silent`: no request for much longer than usual. `refused`: the last request, or an unusual ' +
          'share of the requests of the last 24 hours; or the key has expired.',
      ),
    state_text: textLike('Silent for 6 h, usually every 40 min.').describe(
      'The state in a sentence.',
    ),
    last_request_at: instantField('Null if there was none.').nullable(),
    last_success_at: instantField('The last request that was not refused.').nullable(),
    last_refusal: z
      .strictObject({
        at: instantField('When the request was refused.'),
        error: textLike('USERNAME_TAKEN'),
        message: textLike('Another user of this tenant has this userName.'),
        request_id: z.string(),
      })
      .nullable(),
    requests_24h: count().describe('Requests of the last 24 hours, to the hour.'),
    refused_24h: count(),
    usual_interval_seconds: count()
      .nullable()
      .describe('Between the starts of cycles; null if there were few, or if they are irregular.'),
    last_cycle: CycleView.nullable(),
  })
  .meta({ id: 'Connection' });

const FailedAuthenticationView = z
  .strictObject({
    first_at: instantField('The first request.'),
    last_at: instantField('The last request.'),
    count: z.int().min(1).describe('Requests of an hour with this address, prefix and reason.'),
    address: z.string().describe("The client's address; over IPv6, its /64 network."),
    key_prefix: z
      .string()
      .nullable()
      .describe('Null if no key was sent, if it has another form, or if many were tried.'),
    reason: z.enum(FAILURE_REASONS),
    scope: z.string().nullable().describe('The missing scope, of `missing_scope`.'),
    message: textLike('The key was deleted. Enter another key.').describe(
      'What is wrong, and what to do.',
    ),
  })
  .meta({ id: 'FailedAuthentication' });

const CYCLE_FOR_CUSTOMERS = 'from until requests refused users_changed';
const CONNECTION_FOR_CUSTOMERS =
  'key_id prefix description client state state_text last_request_at last_success_at requests_24h ' +
  'refused_24h usual_interval_seconds last_refusal(at error message request_id) ' +
  `last_cycle(${CYCLE_FOR_CUSTOMERS})`;
const FAILURE_FOR_CUSTOMERS = 'first_at last_at count address key_prefix reason scope message';

type Readers = Pick<RouteParts, 'apiKeys' | 'connections'>;

/** The connections of these keys. */
export const connectionsOf = async (
  { connections }: Pick<Readers, 'connections'>,
  keys: readonly ApiKeyWithUse[],
  now: Date,
): Promise<readonly ConnectionOfKey[]> => {
  const known = await connections.find(
    keys.map(({ key }) => key.id),
    now,
  );
  return keys.map(({ key }) => ({ key, connection: known.get(key.id) ?? NO_CONNECTION }));
};

const present = ({ key, connection }: ConnectionOfKey, now: Date) => {
  const { lastRefusal, cycles } = connection;
  const { state, text } = connectionState(connection, key, now);
  const usual = usualIntervalMs(cycles);
  return toWire(ConnectionView, {
    ...connection,
    keyId: key.id,
    prefix: key.prefix,
    description: key.description,
    client: clientOf(connection.userAgent),
    state,
    stateText: text,
    lastRefusal: lastRefusal && { ...lastRefusal, error: lastRefusal.code },
    requests24h: connection.requests,
    refused24h: connection.refused,
    usualIntervalSeconds: usual === null ? null : Math.round(usual / 1_000),
    lastCycle: cycles.at(-1) ?? null,
  });
};

const presentFailure = (failure: FailedAuthentication) => {
  const { problem, remedy } = failureInWords(failure);
  return toWire(FailedAuthenticationView, { ...failure, message: `${problem} ${remedy}` });
};

/**
 * Customers see failures of the keys of identity providers, and of unknown ones without their prefix
 * and scope: not those of other programs, nor that a key belongs to another tenant.
 */
const failuresForCustomers = (
  failures: readonly FailedAuthentication[],
  keys: readonly Pick<ApiKeyWithUse, 'key'>[],
): readonly FailedAuthentication[] => {
  const isOfProvider = new Map(keys.map((one) => [one.key.prefix, isForProvider(one)]));
  return failures.flatMap((failure): readonly FailedAuthentication[] => {
    const isOwn = isOfProvider.get(failure.keyPrefix ?? '');
    if (isOwn !== undefined) return isOwn ? [failure] : [];
    const reason = failure.reason === 'other_tenant' ? 'unknown_key' : failure.reason;
    return [{ ...failure, reason, keyPrefix: null, scope: null }];
  });
};

const slice = <Item>(items: readonly Item[], { offset, limit }: Page): readonly Item[] =>
  items.slice(offset, offset + limit);

const keyParams = z.object({ keyId: idField("The key's id.") });

const KEYS_AT_ONCE = 500;

/** All keys of a tenant, to find those of identity providers. */
export const keysOf = async (
  { apiKeys }: { readonly apiKeys: Pick<Readers['apiKeys'], 'page'> },
  { id }: Pick<Tenant, 'id'>,
): Promise<readonly ApiKeyWithUse[]> => {
  const all: ApiKeyWithUse[] = [];
  for (;;) {
    const { items: keys } = await apiKeys.page(id, { offset: all.length, limit: KEYS_AT_ONCE });
    all.push(...keys);
    if (keys.length < KEYS_AT_ONCE) return all;
  }
};

const listConnections = ({ flushConnections, now, ...parts }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/connections',
    operationId: 'listConnections',
    forCustomers: { fields: `total limit offset connections(${CONNECTION_FOR_CUSTOMERS})` },
    tag,
    summary: 'List connections',
    description:
      'For each API key: which client uses it, when it was last successful and last refused, and ' +
      'whether it is silent for longer than usual. Requests appear within 30 seconds, those of the ' +
      'gateway that responds at once. Setup links see keys with a SCIM scope only.',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of connections, in the order of the keys.',
        body: pageOf('connections', ConnectionView, 'ConnectionList'),
      },
    },
    handler: async ({ caller: { tenant, setup }, query }) => {
      await flushConnections();
      const keys = await keysOf(parts, tenant);
      // Others are of the operator's programs.
      const shown = setup ? keys.filter(isForProvider) : keys;
      const found = await connectionsOf(parts, slice(shown, query), now());
      const connections = found.map((one) => present(one, now()));
      return { status: 200, body: { connections, total: shown.length, ...query } };
    },
  });

const findKey = async (
  { apiKeys }: Pick<Readers, 'apiKeys'>,
  { tenant, setup }: TenantOperator,
  keyId: string,
): Promise<ApiKeyWithUse> => {
  const found = await apiKeys.find(tenant.id, keyIdIn(keyId));
  return found && (!setup || isForProvider(found)) ? found : raise('API_KEY_NOT_FOUND');
};

const showConnection = ({ flushConnections, now, ...parts }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/connections/{keyId}',
    operationId: 'getConnection',
    forCustomers: { fields: CONNECTION_FOR_CUSTOMERS },
    tag,
    summary: 'Get a connection',
    params: keyParams,
    responses: { 200: { description: 'The connection.', body: ConnectionView } },
    refusals: ['API_KEY_NOT_FOUND'],
    handler: async ({ caller, params }) => {
      await flushConnections();
      const { key } = await findKey(parts, caller, params.keyId);
      const known = await parts.connections.find([key.id], now());
      const connection = known.get(key.id) ?? NO_CONNECTION;
      return { status: 200, body: present({ key, connection }, now()) };
    },
  });

const listCycles = ({ flushConnections, ...parts }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/connections/{keyId}/cycles',
    operationId: 'listConnectionCycles',
    forCustomers: { fields: `total limit offset cycles(${CYCLE_FOR_CUSTOMERS})` },
    tag,
    summary: 'List the cycles of a connection',
    description:
      'A cycle is a series of requests with gaps of less than two minutes, and of at most an hour. ' +
      `Newest first; the last ${MAX_CYCLES} are kept. Its commands: \`actor\`, \`since\` and ` +
      '`until` of the provisioning log.',
    params: keyParams,
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of cycles.',
        body: pageOf('cycles', CycleView, 'ConnectionCycleList'),
      },
    },
    refusals: ['API_KEY_NOT_FOUND'],
    handler: async ({ caller, params, query }) => {
      await flushConnections();
      const { key } = await findKey(parts, caller, params.keyId);
      const found = await parts.connections.cycles(key.id);
      const cycles = slice(found, query).map((one) => toWire(CycleView, one));
      return { status: 200, body: { cycles, total: found.length, ...query } };
    },
  });

const listFailures = ({ flushConnections, ...parts }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/failed-authentications',
    operationId: 'listFailedAuthentications',
    forCustomers: {
      fields: `total limit offset failed_authentications(${FAILURE_FOR_CUSTOMERS})`,
    },
    tag,
    summary: 'List failed authentications',
    description:
      "Requests to the tenant's URLs with a wrong key, without one, or without the scope they need; " +
      'equal ones of an hour are one entry. Newest first; the last 100 of 30 days are kept. Requests ' +
      'beyond the limit of failed authentications of an address are not counted.',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of failed authentications.',
        body: pageOf(
          'failed_authentications',
          FailedAuthenticationView,
          'FailedAuthenticationList',
        ),
      },
    },
    handler: async ({ caller: { tenant, setup }, query }) => {
      await flushConnections();
      const all = await parts.connections.failures(tenant.id);
      const failures = setup ? failuresForCustomers(all, await keysOf(parts, tenant)) : all;
      const failed_authentications = slice(failures, query).map(presentFailure);
      const body = { failed_authentications, total: failures.length, ...query };
      return { status: 200, body };
    },
  });

/** The health of a tenant's connections, by API key. */
export const connectionRoutes = (parts: RouteParts): readonly Route[] =>
  [listConnections, showConnection, listCycles, listFailures].map((declare) => declare(parts));
