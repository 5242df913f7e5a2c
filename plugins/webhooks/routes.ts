import { z } from 'zod';
import {
  type AddressGuard,
  type Clock,
  type IfMatch,
  type JsonValue,
  PAGE_FIELDS,
  pageOf,
  type PluginHost,
  raise,
  readRoute,
  type RecordId,
  type Route,
  type RouteResponse,
  type RouteRequest,
  systemClock,
  type TenantId,
  type SharedCaller,
  writeRoute,
} from '../../src/plugin/api.js';
import { WEBHOOK_NOT_FOUND } from './declarations.js';
import {
  hasPlainQuery,
  type StoredUrl,
  openUrl,
  sealUrl,
  readRegistration,
  type Registration,
  RECENT_MS,
} from './registration.js';
import {
  NewWebhook,
  SecretRotation,
  WebhookChanges,
  CREATED_FOR_CUSTOMERS,
  CreatedWebhook,
  maskQuery,
  presentCore,
  presentRotation,
  RotatedSecret,
  Webhook,
  WEBHOOK_FOR_CUSTOMERS,
  type WebhookCore,
} from './bodies.js';
import {
  settingsVersions,
  tagVersion,
  findRegistration,
  isFor,
  params,
  routing,
  webhookIdIn,
} from './routing.js';
import type { OutcomeNotes } from './outcome-notes.js';
import { RuleResult, type RuleInputs } from './rules.js';
import { generateSecret } from './signing.js';

export interface WebhookRouteParts {
  readonly host: Pick<PluginHost, 'records' | 'secrets'>;
  readonly guard: Pick<AddressGuard, 'check'>;
  readonly outcomes: OutcomeNotes;
  readonly clock?: Clock;
}

/** What of a request a change of a record needs. */
type ChangeContext = Pick<
  RouteRequest<SharedCaller, never, never, never>,
  'caller' | 'source' | 'requestId' | 'idempotency' | 'submit'
>;

type RuleName = keyof typeof RuleInputs;
type RuleInput<Name extends RuleName> = z.input<(typeof RuleInputs)[Name]>;

const change = <Name extends RuleName>(
  { host }: WebhookRouteParts,
  { caller, source, requestId, idempotency, submit }: ChangeContext,
  rule: Name,
  input: RuleInput<Name>,
): Promise<JsonValue> => {
  const changeRequest = {
    tenantId: caller.tenant.id,
    actor: caller.actor,
    source,
    requestId,
    ...(idempotency && { idempotency }),
    submit,
  };
  return host.records.change(changeRequest, rule, input);
};

/**
 * A friendly no for what can be seen of a URL by itself; what its name resolves to is checked
 * whenever it is dialled, and only that is trusted.
 */
const requireReachable = ({ guard }: WebhookRouteParts, url: string): void => {
  const result = guard.check(url);
  const refuseUrl = (message: string): never =>
    raise('INVALID_REQUEST', message, { details: [{ path: 'url', message }] });
  if ('fault' in result) refuseUrl(result.message);
  if (url !== url.trim()) refuseUrl('The URL must not begin or end with white space.');
  // An operator's form would otherwise replace the token that the query contains.
  if (url === maskQuery(url) && url.includes('?'))
    refuseUrl('The query of the URL is masked: send the whole URL, or omit it to keep it.');
};

const precondition = (ifMatch: IfMatch | undefined): { readonly ifMatch?: IfMatch } =>
  ifMatch === undefined ? {} : { ifMatch: settingsVersions(ifMatch) };

const sealValues = <Value extends string | null>(
  { host }: WebhookRouteParts,
  headers: Readonly<Record<string, Value>>,
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === null ? value : (host.secrets.seal(value) as Value),
    ]),
  );

/** A registration as a rule returns it, or as it was read: the query of its URL is sealed. */
interface Shown {
  readonly webhook: WebhookCore;
  readonly query: string | null;
  readonly rotation?: Webhook['secret_rotation'];
}

const shownOf = (registration: Registration): Shown => ({
  webhook: presentCore(registration),
  query: registration.query,
  rotation: presentRotation(registration, new Date()),
});

/** With the complete address: a key with the scope registered it. */
const open = ({ host }: WebhookRouteParts, { webhook, query }: Shown): WebhookCore => ({
  ...webhook,
  url: openUrl({ url: webhook.url, query }, host.secrets.unseal),
});

/** Registrations as everyone sees them, with their last outcomes. */
const present = async (
  parts: WebhookRouteParts,
  tenantId: TenantId,
  registrations: readonly Shown[],
): Promise<readonly Webhook[]> => {
  const ids = registrations.map(({ webhook }) => webhook.id);
  const last = await parts.outcomes.read(tenantId, ids);
  return registrations.map((shown) => ({
    ...open(parts, shown),
    last_trigger_status: last.get(shown.webhook.id) ?? null,
    ...(shown.rotation && { secret_rotation: shown.rotation }),
  }));
};

const masked = <Shown extends WebhookCore>(webhook: Shown): Shown => ({
  ...webhook,
  url: maskQuery(webhook.url),
});

const maskedFor = (
  { isMasked }: Pick<SharedCaller, 'isMasked'>,
  response: RouteResponse,
): RouteResponse => (isMasked ? { ...response, body: masked(response.body as Webhook) } : response);

const respondWith = async (
  parts: WebhookRouteParts,
  caller: Pick<SharedCaller, 'tenant' | 'setup'>,
  { webhook, version, query }: z.output<typeof RuleResult> | (Shown & { readonly version: number }),
): Promise<RouteResponse> => {
  // The provisioning log, read if a command's outcome was lost, contains no query.
  const shown =
    query === undefined || version > 1
      ? shownOf(await findRegistration(parts.host, caller, webhook.id))
      : { webhook, query };
  const [body] = await present(parts, caller.tenant.id, [shown]);
  return { status: 200, body, version: tagVersion(version, body?.last_trigger_status ?? null) };
};

/** Sealed anew only where it is another: else a change that changes nothing would be one. */
const sealedUrlOf = async (
  { host }: WebhookRouteParts,
  tenantId: TenantId,
  id: RecordId,
  url: string,
): Promise<StoredUrl> => {
  const found = await host.records.find(tenantId, id);
  const known = found && readRegistration(found);
  const isSame = known && openUrl(known, host.secrets.unseal) === url;
  return isSame && !hasPlainQuery(known)
    ? { url: known.url, query: known.query }
    : sealUrl(url, host.secrets);
};

const createWebhook = (parts: WebhookRouteParts): Route =>
  writeRoute({
    ...routing,
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    forCustomers: { needs: 'integrations', fields: CREATED_FOR_CUSTOMERS },
    audit: 'created the webhook',
    summary: 'Register a webhook',
    command: 'plugin.change',
    description:
      'Deliveries start with the next event. The secret is returned only in this response. A ' +
      'tenant may have 100 registrations, of which API keys and setup links create at most 90.',
    body: NewWebhook,
    responses: { 201: { description: 'The registration, with its secret.', body: CreatedWebhook } },
    handler: async (request) => {
      const { url, events, description = null, headers = {}, include = [] } = request.body;
      const { secret = generateSecret() } = request.body;
      requireReachable(parts, url);
      const sealed = parts.host.secrets.seal(secret);
      const address = sealUrl(url, parts.host.secrets);
      const input = {
        ...address,
        events,
        description,
        include,
        secret: sealed,
        headers: sealValues(parts, headers),
        ...(request.caller.setup
          ? { isCustomers: true }
          : { isOperators: request.caller.actor.kind === 'operator' }),
      };
      const result = RuleResult.parse(await change(parts, request, 'create', input));
      const { webhook, version, query = address.query, secret: kept = sealed } = result;
      const secretShown = parts.host.secrets.unseal(kept);
      const created = { ...open(parts, { webhook, query }), secret: secretShown };
      const body = request.caller.isMasked ? masked(created) : created;
      const location = `/webhooks/${webhook.id}`;
      return { status: 201, body, version: tagVersion(version, null), location };
    },
  });

const listWebhooks = (parts: WebhookRouteParts): Route =>
  readRoute({
    ...routing,
    path: '/webhooks',
    operationId: 'listWebhooks',
    forCustomers: {
      needs: 'integrations',
      fields: `total limit offset webhooks(${WEBHOOK_FOR_CUSTOMERS})`,
    },
    summary: 'List webhook registrations',
    description: 'Oldest first. Without `limit`, all registrations are returned (at most 100).',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: { description: 'The registrations.', body: pageOf('webhooks', Webhook, 'WebhookList') },
    },
    handler: async ({ caller, query: { limit, offset } }) => {
      const { tenant, isMasked } = caller;
      const records = await parts.host.records.list(tenant.id);
      const own = records.map(readRegistration).filter((one) => isFor(caller, one));
      const page = own.slice(offset, offset + limit).map(shownOf);
      const shown = await present(parts, tenant.id, page);
      const webhooks = isMasked ? shown.map(masked) : shown;
      return { status: 200, body: { webhooks, total: own.length, limit, offset } };
    },
  });

const readWebhook = (parts: WebhookRouteParts): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}',
    operationId: 'getWebhook',
    forCustomers: { needs: 'integrations', fields: WEBHOOK_FOR_CUSTOMERS },
    summary: 'Get a webhook registration',
    params,
    responses: {
      200: { description: 'The registration.', body: Webhook },
      304: { description: 'Not modified: If-None-Match has the current ETag.' },
    },
    refusals: [WEBHOOK_NOT_FOUND, 'PRECONDITION_FAILED'],
    handler: async ({ caller, params: { id } }) => {
      const registration = await findRegistration(parts.host, caller, id);
      const { version } = registration;
      return maskedFor(
        caller,
        await respondWith(parts, caller, { ...shownOf(registration), version }),
      );
    },
  });

const updateWebhook = (parts: WebhookRouteParts): Route =>
  writeRoute({
    ...routing,
    method: 'PATCH',
    path: '/webhooks/{id}',
    operationId: 'updateWebhook',
    summary: 'Update, disable or enable a webhook registration',
    command: 'plugin.change',
    description:
      'While a registration is disabled, events are dropped: nothing is queued, nothing replayed, ' +
      'and pending deliveries and retries are dropped too. Once enabled again, it receives the events ' +
      'from then on. Pending deliveries are sent to the new `url` too; ' +
      'if it is on another server, each header must be set again, or removed with null.',
    params,
    body: WebhookChanges,
    responses: { 200: { description: 'The updated registration.', body: Webhook } },
    refusals: [WEBHOOK_NOT_FOUND, 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const { headers = {}, url, ...settings } = request.body;
      const { ifMatch, caller } = request;
      const id = webhookIdIn(request.params.id);
      if (url !== undefined) requireReachable(parts, url);
      const address = url === undefined ? {} : await sealedUrlOf(parts, caller.tenant.id, id, url);
      const input = {
        id,
        changes: { ...settings, ...address },
        headers: sealValues(parts, headers),
        ...precondition(ifMatch),
      };
      const result = RuleResult.parse(await change(parts, request, 'update', input));
      return maskedFor(caller, await respondWith(parts, caller, result));
    },
  });

/**
 * Every gateway holds registrations for a second: only then do all of them sign with the new secret
 * too, and the caller may discard the old one at once.
 */
const rotateSecret = (parts: WebhookRouteParts): Route =>
  writeRoute({
    ...routing,
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    stepUp: true,
    operationId: 'rotateWebhookSecret',
    audit: 'rotated the secret of the webhook',
    summary: 'Replace the signing secret',
    command: 'plugin.change',
    description:
      'Returns the new secret, only in this response. During the overlap both secrets sign: `webhook-signature` has ' +
      'a signature of each, `X-Service-Signature` that of the new one (`switch: now`) or of the old ' +
      'one (`after_overlap`), and the other is in `X-Service-Signature-Previous` or `-Next`. The ' +
      'response takes about a second; from then on every delivery is signed with both.',
    params,
    body: SecretRotation,
    responses: {
      200: { description: 'The new secret.', body: RotatedSecret, tagged: false },
    },
    refusals: [WEBHOOK_NOT_FOUND, 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const id = webhookIdIn(request.params.id);
      const { secret: given = generateSecret(), overlap_hours: overlapHours } = request.body;
      const sealed = parts.host.secrets.seal(given);
      const input = {
        id,
        secret: sealed,
        overlapHours,
        switch: request.body.switch,
        ...precondition(request.ifMatch),
      };
      const result = RuleResult.parse(await change(parts, request, 'rotateSecret', input));
      const secret = parts.host.secrets.unseal(result.secret ?? sealed);
      const { after } = parts.clock ?? systemClock;
      await new Promise<void>((resolve) => void after(RECENT_MS, resolve));
      return { status: 200, body: { id, secret } };
    },
  });

const deleteWebhook = (parts: WebhookRouteParts): Route =>
  writeRoute({
    ...routing,
    method: 'DELETE',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    forCustomers: { needs: 'integrations', fields: '' },
    audit: 'deleted a webhook',
    summary: 'Delete a webhook registration',
    command: 'plugin.change',
    description: 'Permanent. Pending deliveries to it are dropped.',
    params,
    responses: { 204: { description: 'The registration was deleted.' } },
    refusals: [WEBHOOK_NOT_FOUND, 'PRECONDITION_FAILED'],
    handler: async (request) => {
      const id = webhookIdIn(request.params.id);
      if (request.caller.setup) await findRegistration(parts.host, request.caller, id);
      await change(parts, request, 'delete', { id, ...precondition(request.ifMatch) });
      return { status: 204 };
    },
  });

/** The registrations (interface.md, Webhooks; decisions.md 7). */
export const webhookRoutes = (parts: WebhookRouteParts): readonly Route[] =>
  [createWebhook, listWebhooks, readWebhook, updateWebhook, rotateSecret, deleteWebhook].map(
    (declare) => declare(parts),
  );
