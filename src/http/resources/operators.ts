import { browserUrlOf } from '../../../config/is-loopback.js';
import { z } from 'zod';
import type { OperatorCaller } from '../../routes/caller.js';
import {
  changesOf,
  idField,
  identifierField,
  instantField,
  PAGE_FIELDS,
  pageOf,
  textLike,
} from '../../routes/fields.js';
import type { OperatorChanges, OwnerRule } from '../../ports/operators.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import { fromWire, toWire } from '../../routes/wire.js';
import {
  type OperatorId,
  parseOperatorId,
  parseSessionId,
  type PasskeyId,
} from '../../domain/kernel/ids.js';
import { raise } from '../../domain/kernel/refusals.js';
import {
  type Operator,
  OPERATOR_ROLES,
  expiryOf,
  type OperatorSession,
} from '../../domain/operator/operator.js';
import { isEmailAddress } from '../../domain/user/user.js';
import { newId } from '../../pipeline/submit.js';
import { hashSecret, newSecret } from '../access/credentials.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Operators';

const LINK_MS = 24 * 3_600_000;
const MAX_TENANTS = 100;

/** Of a path. */
export const OPERATOR_ID = { id: idField("The operator's id.") };
const ONE = { path: '/operators/{id}', params: z.object(OPERATOR_ID) } as const;

const READ = { role: 'owner', tag } as const;
const WRITE = { ...READ, stepUp: true } as const;

export const emailField = identifierField(254)
  .refine(isEmailAddress, 'must be an e-mail address')
  .meta({ format: 'email' })
  .nullable();
const role = z.enum(OPERATOR_ROLES);
const boundTo = z
  .array(z.string().min(1).max(63))
  .min(1)
  .max(MAX_TENANTS)
  .nullable()
  .describe('Slugs of the tenants they may see; null: all. An owner is not bound to tenants.');

const OperatorView = z
  .strictObject({
    ...OPERATOR_ID,
    name: textLike('Ada Lovelace'),
    email: z.string().nullable(),
    role,
    tenants: z.array(z.string()).nullable().describe('Slugs of their tenants; null: all.'),
    source: z
      .enum(['link', 'oidc'])
      .describe(
        'How they sign in; `link`: with links and passkeys; with `oidc`, the provider decides name, role and tenants.',
      ),
    created_at: instantField('When the operator was created.'),
    disabled_at: instantField('Since when they cannot sign in.').nullable(),
    last_sign_in_at: instantField('When they last signed in; null if never.').nullable(),
  })
  .meta({ id: 'Operator' });

const NewOperator = z
  .strictObject({
    name: identifierField(256).meta({ examples: ['Ada Lovelace'] }),
    email: emailField.default(null),
    role,
    tenants: boundTo.default(null),
  })
  .meta({ id: 'OperatorInput' });

const OperatorUpdate = changesOf({
  name: identifierField(256),
  email: emailField,
  role,
  tenants: boundTo,
  disabled: z.boolean().describe('True ends their sessions; they cannot sign in.'),
}).meta({ id: 'OperatorUpdate', examples: [{ role: 'auditor' }] });

const SessionItem = z
  .strictObject({
    id: idField("The session's id."),
    by: z.enum(['link', 'oidc', 'passkey']).describe('How they signed in.'),
    created_at: instantField('When they signed in.'),
    authenticated_at: instantField(
      'When they last proved who they are; null if the OpenID provider did not say.',
    ).nullable(),
    last_seen_at: instantField('When it was last used, accurate to a minute.'),
    expires_at: instantField('When it ends unless it is used.'),
    user_agent: z.string().nullable(),
    is_current: z.boolean().describe('The session of this request.'),
  })
  .meta({ id: 'SessionOfOperator' });

/** Who has not signed in yet. `subject`: at the OpenID provider; absent: they sign in with links. */
export const newOperator = (
  given: Pick<Operator, 'name' | 'email' | 'role' | 'tenants'>,
  createdAt: Date,
  subject: string | null = null,
): Operator => ({
  ...given,
  id: newId<OperatorId>(),
  source: subject === null ? 'link' : 'oidc',
  subject,
  createdAt,
  disabledAt: null,
  lastSignInAt: null,
});

const present = (operator: Operator) => toWire(OperatorView, operator);

const presentSession = (session: OperatorSession, { session: own }: OperatorCaller) =>
  toWire(SessionItem, {
    ...session,
    by: session.subject.kind === 'operator' ? session.subject.by : 'link',
    expiresAt: expiryOf(session),
    isCurrent: session.id === own?.id,
  });

const refuseBoundOwner = ({ role: given, tenants }: Pick<Operator, 'role' | 'tenants'>): void => {
  if (given === 'owner' && tenants !== null)
    raise('INVALID_REQUEST', 'The body is not valid: an owner is not bound to tenants.', {
      details: [{ path: 'tenants', message: 'must be null for an owner' }],
    });
};

/** `Ada (role auditor → admin)`, for the operators' log. */
const describeUpdate = (before: Operator, after: Operator): string => {
  const changes = [
    ...(before.role === after.role ? [] : [`role ${before.role} → ${after.role}`]),
    ...(String(before.tenants) === String(after.tenants)
      ? []
      : [`tenants ${after.tenants?.join(', ') ?? 'all'}`]),
    ...((before.disabledAt === null) === (after.disabledAt === null)
      ? []
      : [after.disabledAt === null ? 'enabled' : 'disabled']),
  ];
  return [after.name, ...(changes.length > 0 ? [`(${changes.join('; ')})`] : [])].join(' ');
};

type Account = Pick<Operator, 'role' | 'disabledAt'>;

const isOwner = (account: Account | null): boolean =>
  account?.role === 'owner' && account.disabledAt === null;

/** An owner must not lock everybody out. Whoever has the admin token can make an owner again. */
const ownerRule = (
  { actor }: OperatorCaller,
  before: Account,
  after: Account | null,
): OwnerRule => ({
  keepsOwner: actor.id !== undefined && isOwner(before) && !isOwner(after),
});

/** Throws OPERATOR_NOT_FOUND, also if the text is no id. */
const operatorWith = async (
  { signIn }: Pick<RouteParts, 'signIn'>,
  text: string,
): Promise<Operator> => {
  const id = parseOperatorId(text);
  return (
    (id === undefined ? undefined : await signIn.operators.find(id)) ?? raise('OPERATOR_NOT_FOUND')
  );
};

/** The operator with this id: operators see and change what is their own, owners also what is of others. */
export const accountOf = async (
  parts: Pick<RouteParts, 'signIn'>,
  { role: own, actor }: OperatorCaller,
  id: string,
  what: 'sessions' | 'passkeys',
): Promise<Operator> => {
  if (own !== 'owner' && actor.id !== id)
    raise('INSUFFICIENT_ROLE', `The ${what} of others require the role "owner".`);
  return operatorWith(parts, id);
};

const requireTenants = async (
  { tenants }: RouteParts,
  slugs: readonly string[] | null | undefined,
): Promise<void> => {
  for (const [at, slug] of (slugs ?? []).entries()) {
    if (await tenants.findBySlug(slug)) continue;
    raise('INVALID_REQUEST', `The body is not valid: no tenant has the slug "${slug}".`, {
      details: [{ path: `tenants[${at}]`, message: 'no tenant has this slug' }],
    });
  }
};

/** Writes to the gateway's log. Ids only: names are personal data. */
export const record = (
  { log }: RouteParts,
  request: { readonly caller: OperatorCaller; readonly requestId: string },
  message: string,
  about: { readonly operator: OperatorId; readonly passkey?: PasskeyId },
): void => {
  const { actor } = request.caller;
  log.info({ request_id: request.requestId, ...about, by: actor.id ?? actor.name }, message);
};

const endSessions = async ({ signIn, sessionCache }: RouteParts, id: OperatorId): Promise<void> => {
  await signIn.sessions.deleteOf(id);
  sessionCache.invalidateOperator(id);
};

const listOperators = (parts: RouteParts): Route =>
  operatorRoute({
    ...READ,
    method: 'GET',
    path: '/operators',
    operationId: 'listOperators',
    summary: 'List operators',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'A page of operators.',
        body: pageOf('operators', OperatorView, 'OperatorList'),
      },
    },
    handler: async ({ query }) => {
      const { items, total } = await parts.signIn.operators.page(query);
      return { status: 200, body: { operators: items.map(present), total, ...query } };
    },
  });

const createOperator = (parts: RouteParts): Route =>
  operatorRoute({
    ...WRITE,
    method: 'POST',
    path: '/operators',
    operationId: 'createOperator',
    audit: 'created the operator',
    summary: 'Create an operator',
    description: 'They sign in with a link (`POST /operators/{id}/link`), and then add a passkey.',
    body: NewOperator,
    responses: { 201: { description: 'The operator.', body: OperatorView } },
    handler: async (request) => {
      refuseBoundOwner(request.body);
      await requireTenants(parts, request.body.tenants);
      const operator = newOperator(request.body, parts.now());
      await parts.signIn.operators.create(operator);
      record(parts, request, 'operator created', { operator: operator.id });
      return { status: 201, body: present(operator), location: `/operators/${operator.id}` };
    },
  });

const getOperator = (parts: RouteParts): Route =>
  operatorRoute({
    ...READ,
    ...ONE,
    method: 'GET',
    operationId: 'getOperator',
    summary: 'Get an operator',
    responses: { 200: { description: 'The operator.', body: OperatorView } },
    refusals: ['OPERATOR_NOT_FOUND'],
    handler: async ({ params: { id } }) => ({
      status: 200,
      body: present(await operatorWith(parts, id)),
    }),
  });

const updateOperator = (parts: RouteParts): Route =>
  operatorRoute({
    ...WRITE,
    ...ONE,
    method: 'PATCH',
    operationId: 'updateOperator',
    audit: 'changed the operator',
    summary: 'Update an operator',
    description:
      'Takes effect within 1 s on all gateways, also in their sessions. The last owner who can sign ' +
      'in stays one: only the admin token can change that.',
    body: OperatorUpdate,
    responses: { 200: { description: 'The updated operator.', body: OperatorView } },
    refusals: ['OPERATOR_NOT_FOUND', 'OPERATOR_FROM_PROVIDER', 'LAST_OWNER'],
    handler: async (request) => {
      const operator = await operatorWith(parts, request.params.id);
      const { disabled, ...given } = request.body;
      if (operator.source === 'oidc' && Object.keys(given).length > 0)
        raise('OPERATOR_FROM_PROVIDER');
      const changes: OperatorChanges = {
        ...fromWire(given),
        ...(disabled !== undefined && {
          disabledAt: disabled ? (operator.disabledAt ?? parts.now()) : null,
        }),
      };
      refuseBoundOwner({ ...operator, ...changes });
      await requireTenants(parts, given.tenants);
      const rule = ownerRule(request.caller, operator, { ...operator, ...changes });
      const updated =
        (await parts.signIn.operators.update(operator.id, changes, rule)) ??
        raise('OPERATOR_NOT_FOUND');
      if (disabled) await endSessions(parts, operator.id);
      parts.sessionCache.invalidateOperator(operator.id);
      record(parts, request, 'operator updated', { operator: operator.id });
      return { status: 200, body: present(updated), about: describeUpdate(operator, updated) };
    },
  });

const deleteOperator = (parts: RouteParts): Route =>
  operatorRoute({
    ...WRITE,
    ...ONE,
    method: 'DELETE',
    operationId: 'deleteOperator',
    audit: 'deleted the operator',
    summary: 'Delete an operator',
    description:
      'Ends their sessions within 1 s on all gateways. The provisioning log keeps their name. An ' +
      'operator of the OpenID provider is created again at the next sign-in; disable them instead. ' +
      'The last owner who can sign in cannot be deleted, except with the admin token.',
    responses: { 204: { description: 'The operator was deleted.' } },
    refusals: ['OPERATOR_NOT_FOUND', 'LAST_OWNER'],
    handler: async (request) => {
      const operator = await operatorWith(parts, request.params.id);
      const { id } = operator;
      const rule = ownerRule(request.caller, operator, null);
      if (!(await parts.signIn.operators.delete(id, rule))) raise('OPERATOR_NOT_FOUND');
      parts.sessionCache.invalidateOperator(id);
      record(parts, request, 'operator deleted', { operator: id });
      return { status: 204, about: operator.name };
    },
  });

const createSignInLink = (parts: RouteParts): Route =>
  operatorRoute({
    ...WRITE,
    method: 'POST',
    path: '/operators/{id}/link',
    params: ONE.params,
    operationId: 'createSignInLink',
    audit: 'created a sign-in link for',
    summary: 'Create a sign-in link',
    description:
      'Signs the operator in once, within 24 hours. It replaces their previous link. Send it to ' +
      'them only.',
    responses: {
      201: {
        description: 'The link. Returned only in this response.',
        body: z
          .strictObject({ url: z.string(), expires_at: instantField('When it stops working.') })
          .meta({ id: 'SignInLink' }),
      },
    },
    refusals: ['OPERATOR_NOT_FOUND', 'OPERATOR_FROM_PROVIDER'],
    handler: async (request) => {
      const operator = await operatorWith(parts, request.params.id);
      if (operator.source === 'oidc')
        raise(
          'OPERATOR_FROM_PROVIDER',
          'This operator signs in with the OpenID provider, not with links.',
        );
      const secret = newSecret();
      const expiresAt = new Date(parts.now().getTime() + LINK_MS);
      await parts.signIn.links.endOf(operator.id);
      await parts.signIn.links.create({
        kind: 'operator',
        operatorId: operator.id,
        hash: hashSecret(secret),
        expiresAt,
      });
      record(parts, request, 'sign-in link created', { operator: operator.id });
      return {
        status: 201,
        about: operator.name,
        body: {
          url: `${browserUrlOf(parts.publicUrl())}/dashboard/sign-in#${secret}`,
          expires_at: expiresAt.toISOString(),
        },
      };
    },
  });

const listOperatorSessions = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'GET',
    path: '/operators/{id}/sessions',
    operationId: 'listOperatorSessions',
    isForBoundOperators: true,
    tag,
    summary: "List an operator's sessions",
    description: 'Operators may list their own; owners also those of others.',
    params: ONE.params,
    responses: {
      200: {
        description: 'The sessions, newest first.',
        body: z.strictObject({ sessions: z.array(SessionItem) }).meta({ id: 'SessionsOfOperator' }),
      },
    },
    refusals: ['OPERATOR_NOT_FOUND'],
    handler: async ({ params: { id }, caller }) => {
      const operator = await accountOf(parts, caller, id, 'sessions');
      const sessions = await parts.signIn.sessions.listOf(operator.id);
      return {
        status: 200,
        body: { sessions: sessions.map((session) => presentSession(session, caller)) },
      };
    },
  });

const endOperatorSession = (parts: RouteParts): Route =>
  operatorRoute({
    method: 'DELETE',
    path: '/operators/{id}/sessions/{sessionId}',
    operationId: 'endOperatorSession',
    audit: 'ended a session of',
    role: 'auditor',
    isForBoundOperators: true,
    tag,
    summary: "End an operator's session",
    description:
      'Takes effect within 1 s on all gateways. Operators may end their own; owners also those of ' +
      'others.',
    params: z.object({ ...OPERATOR_ID, sessionId: idField("The session's id.") }),
    responses: { 204: { description: 'The session has ended.' } },
    refusals: ['OPERATOR_NOT_FOUND', 'SESSION_NOT_FOUND'],
    handler: async (request) => {
      const { id, sessionId } = request.params;
      const operator = await accountOf(parts, request.caller, id, 'sessions');
      const session = parseSessionId(sessionId);
      if (session === undefined || !(await parts.signIn.sessions.deleteOf(operator.id, session)))
        raise('SESSION_NOT_FOUND');
      parts.sessionCache.invalidateOperator(operator.id);
      record(parts, request, 'session ended', { operator: operator.id });
      return { status: 204, about: operator.name };
    },
  });

/** The people who operate this gateway, and their sessions (decisions.md 8). */
export const operatorAccountRoutes = (parts: RouteParts): readonly Route[] =>
  [
    listOperators,
    createOperator,
    getOperator,
    updateOperator,
    deleteOperator,
    createSignInLink,
    listOperatorSessions,
    endOperatorSession,
  ].map((declare) => declare(parts));
