import { browserUrlOf } from '../../../config/is-loopback.js';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { idField, instantField, PAGE_FIELDS, pageOf, textLike } from '../../routes/fields.js';
import type { SetupLink } from '../../ports/operators.js';
import { tenantRoute, type Route, runCommand } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import { raise, RefusalError } from '../../domain/kernel/refusals.js';
import { SETUP_PROVIDERS } from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import { generateApiKey, hashSecret, newSecret } from '../access/credentials.js';
import { createdApiKey, presentApiKey } from './api-keys.js';
import type { RouteParts } from './route-parts.js';

const tag = 'Setup links';

const HOUR = 3_600_000;
const MAX_HOURS = 30 * 24;

/** What an identity provider needs, and no more. */
const SCOPES = ['scim:read', 'scim:write'] as const;

const NewSetupLink = z
  .strictObject({
    provider: z.enum(Object.keys(SETUP_PROVIDERS)).default('other'),
    expires_in_hours: z.int().min(1).max(MAX_HOURS).default(72),
    integrations: z
      .boolean()
      .default(false)
      .describe(
        'Whether the customer may manage integrations of their own: what plugins offer them, such as receivers of events.',
      ),
  })
  .meta({ id: 'SetupLinkInput', examples: [{ provider: 'okta', expires_in_hours: 72 }] });

const LINK_ID = { id: idField("The setup link's id.") };

const SetupLinkView = z
  .strictObject({
    ...LINK_ID,
    url: textLike('https://gateway.example.com/dashboard/t/acme/setup#…').describe(
      'Send it to the administrator of the customer only.',
    ),
    expires_at: instantField('When it stops working.'),
  })
  .meta({ id: 'SetupLink' });

const ListedSetupLink = z
  .strictObject({
    ...LINK_ID,
    provider: z.string(),
    expires_at: instantField('When it stops working.'),
    key_id: idField('The API key that was created with it last; null if none was.').nullable(),
    integrations: z.boolean(),
  })
  .meta({ id: 'ListedSetupLink' });

/** Of the hash, so that links of earlier versions have one. It reveals nothing of a random secret. */
const idOf = ({ hash }: Pick<SetupLink, 'hash'>): string => {
  const hex = createHash('sha256').update(hash).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
};

const present = (link: SetupLink) =>
  toWire(ListedSetupLink, { ...link, id: idOf(link), integrations: link.hasIntegrations });

/** An operator may have deleted it. */
const ignoreDeleted = (error: unknown): void => {
  if (!(error instanceof RefusalError) || error.refusal.code !== 'API_KEY_NOT_FOUND') throw error;
};

const createSetupLink = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'POST',
    path: '/setup-links',
    operationId: 'createSetupLink',
    audit: 'created a setup link',
    stepUp: true,
    tag,
    summary: 'Create a setup link',
    description:
      'Opens the page of the administrator of the customer: how to connect their identity provider, ' +
      'with one API key for it; the health of the connection; refused changes; who is in which ' +
      'room, and why; integrations of their own if `integrations` is true. It works until it expires.',
    body: NewSetupLink,
    responses: {
      201: { description: 'The link. Returned only in this response.', body: SetupLinkView },
    },
    handler: async ({ caller, body: { provider, expires_in_hours: hours, integrations } }) => {
      const { slug } = caller.tenant;
      const secret = newSecret();
      const expiresAt = new Date(parts.now().getTime() + hours * HOUR);
      const link = {
        kind: 'setup',
        tenant: slug,
        provider,
        keyId: null,
        hasIntegrations: integrations,
        hash: hashSecret(secret),
        expiresAt,
      } as const;
      await parts.signIn.links.create(link);
      return {
        status: 201,
        body: {
          id: idOf(link),
          url: `${browserUrlOf(parts.publicUrl())}/dashboard/t/${slug}/setup#${secret}`,
          expires_at: expiresAt.toISOString(),
        },
      };
    },
  });

const listSetupLinks = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/setup-links',
    operationId: 'listSetupLinks',
    role: 'admin',
    tag,
    summary: 'List setup links',
    description: 'Those that have not expired, the one that expires first at the top.',
    query: z.strictObject(PAGE_FIELDS),
    responses: {
      200: {
        description: 'The links, without their secrets.',
        body: pageOf('setup_links', ListedSetupLink, 'SetupLinkList'),
      },
    },
    handler: async ({ caller: { tenant }, query: { limit, offset } }) => {
      const links = await parts.signIn.links.setupLinksOf(tenant.slug);
      const page = links.slice(offset, offset + limit).map(present);
      return { status: 200, body: { setup_links: page, total: links.length, limit, offset } };
    },
  });

const endSetupLink = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'DELETE',
    path: '/setup-links/{id}',
    operationId: 'endSetupLink',
    audit: 'revoked a setup link',
    tag,
    summary: 'End a setup link',
    description:
      'The link and its sessions stop working within 1 s on all gateways. An API key created with ' +
      'it stays valid.',
    params: z.object(LINK_ID),
    responses: { 204: { description: 'The setup link no longer works.' } },
    refusals: ['NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id } }) => {
      const links = await parts.signIn.links.setupLinksOf(tenant.slug);
      const link = links.find((candidate) => idOf(candidate) === id);
      if (!link || !(await parts.signIn.links.use(link)))
        raise('NOT_FOUND', 'No setup link of this tenant has this id.');
      return { status: 204 };
    },
  });

const endSetupLinks = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'DELETE',
    path: '/setup-links',
    operationId: 'endSetupLinks',
    audit: 'revoked all setup links',
    tag,
    summary: 'End all setup links of a tenant',
    description:
      'They and their sessions stop working within 1 s on all gateways. API keys made with them ' +
      'stay valid.',
    responses: { 204: { description: 'No setup link of the tenant works.' } },
    handler: async ({ caller: { tenant } }) => {
      await parts.signIn.links.endOfTenant(tenant.slug);
      return { status: 204 };
    },
  });

const createSetupKey = (parts: RouteParts): Route =>
  tenantRoute({
    method: 'POST',
    path: '/setup/key',
    operationId: 'createSetupKey',
    audit: 'created the API key',
    forCustomers: { fields: 'key_id key prefix description scopes created_at expires_at' },
    tag,
    summary: 'Create the API key of a setup link',
    description:
      'For sessions of setup links: a key for SCIM. It replaces the key that was made with the ' +
      'same link before, which stops working. Store the key: only this response contains it.',
    responses: { 201: { description: 'The key.', body: createdApiKey(parts.extensions.scopes) } },
    refusals: ['NOT_FOUND'],
    handler: async (request) => {
      const { session, setup } = request.caller;
      if (session?.subject.kind !== 'setup' || !setup)
        return raise(
          'NOT_FOUND',
          'This session is not that of a setup link. Operators use POST /tenants/{slug}/api-keys.',
        );
      const { id } = request.caller.tenant;
      const { key, prefix, hash } = generateApiKey();
      const { linkHash } = session.subject;
      const created = await runCommand(request, id, {
        type: 'api-key.create',
        keyId: newId<ApiKeyId>(),
        hash,
        prefix,
        description: `${SETUP_PROVIDERS[setup.provider] ?? setup.provider}, by setup link`,
        scopes: SCOPES,
      });
      const previous = await parts.signIn.links.replaceKey(linkHash, created.id);
      parts.sessionCache.invalidate(session.hash);
      if (previous !== null) {
        await runCommand(request, id, { type: 'api-key.delete', keyId: previous }).catch(
          ignoreDeleted,
        );
        parts.keys.invalidateKey(previous);
      }
      return {
        status: 201,
        body: { ...presentApiKey(created, SCOPES), key },
      };
    },
  });

/** Links by which the administrator of a customer connects their identity provider. */
export const setupLinkRoutes = (parts: RouteParts): readonly Route[] =>
  [createSetupLink, listSetupLinks, endSetupLink, endSetupLinks, createSetupKey].map((declare) =>
    declare(parts),
  );
