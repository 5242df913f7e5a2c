import { z } from 'zod';
import { MAX_COUNTED_COMMANDS } from '../../ports/command-log.js';
import { type NamedOverview, SEVERITIES } from '../../routes/extensions.js';
import {
  idField,
  instantField,
  PAGE_FIELDS,
  pageOf,
  wholeNumber,
  textLike,
} from '../../routes/fields.js';
import { operatorRoute, tenantRoute, type Route } from '../../routes/route.js';
import { seatsAvailable, type Tenant } from '../../domain/tenant/tenant.js';
import { toWire } from '../../routes/wire.js';
import { createAttention } from './attention.js';
import type { RouteParts } from './route-parts.js';

const HOUR_MS = 3_600_000;

const tag = 'Overview';
const count = () => z.int().min(0);

const AttentionView = z
  .strictObject({
    severity: z.enum(SEVERITIES),
    code: z.string().describe('Stable, for programs.'),
    message: textLike('48 of 50 seats are taken.'),
    action: textLike('Raise the number of seats, or deactivate users.').describe('What to do.'),
    link: z
      .string()
      .nullable()
      .describe("Page of the dashboard, relative to the tenant's; null if there is none."),
    value: z
      .number()
      .optional()
      .describe('The figure in the message, in percent if it is a share; absent: it has none.'),
  })
  .meta({ id: 'Attention' });

export const Seats = z.strictObject({
  capacity: count().nullable().describe('Null: unlimited.'),
  provisioned: count().describe('Taken seats.'),
  available: count().nullable().describe('Free seats; null: unlimited.'),
});

export const presentSeats = (tenant: Tenant): z.output<typeof Seats> => ({
  capacity: tenant.seatCapacity,
  provisioned: tenant.seatsProvisioned,
  available: seatsAvailable(tenant),
});

const IdentityProvider = z.strictObject({
  key_id: idField('The API key of the identity provider.'),
  description: z.string(),
  last_request_at: instantField(
    'Its last request, accurate to a minute; null if there was none.',
  ).nullable(),
  user_agent: z.string().nullable(),
});

const coreFields = {
  seats: Seats,
  users: z.strictObject({ total: count(), active: count() }),
  rooms: z.strictObject({
    total: count(),
    mapped: count().describe('With a SCIM group mapping, counted up to 10,000.'),
  }),
  identity_provider: IdentityProvider.nullable().describe(
    'The API key with a SCIM scope that was used last; null if there is none.',
  ),
  attention: z.array(AttentionView).describe('Most severe first; empty: all is well.'),
};

/** With the counts that extensions declare, under their names. */
const overviewView = (overviews: readonly NamedOverview[]) =>
  z
    .strictObject({
      ...Object.fromEntries(overviews.map((one) => [one.name, countsView(one)])),
      ...coreFields,
    })
    .meta({ id: 'TenantOverview' });

const ActivityView = z
  .strictObject({
    from: instantField('Start of the first step.'),
    until: instantField('End of the last step, which may not be over.'),
    step_seconds: z.int(),
    points: z.array(
      z.strictObject({
        at: instantField('Start of the step.'),
        applied: count(),
        unchanged: count().describe('Commands that changed nothing (outcome `no-op`).'),
        refused: count(),
        failed: count(),
        events: count(),
      }),
    ),
  })
  .meta({ id: 'Activity' });

const countsView = ({ counts }: NamedOverview) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(counts).map(([name, description]) => [name, count().describe(description)]),
    ),
  );

/** Long enough for a chart to be read, short enough for it to show peaks. */
const stepOf = (hours: number): number => {
  if (hours <= 6) return HOUR_MS / 12;
  return hours <= 48 ? HOUR_MS : 4 * HOUR_MS;
};

/** Reads the overview of a tenant. */
const createOverview = (parts: RouteParts) => {
  const { rooms } = parts;
  const attention = createAttention(parts);
  return async (tenant: Tenant) => {
    const [mapped, found] = await Promise.all([rooms.countMapped(tenant.id), attention.of(tenant)]);
    const { identityProvider: provider, extensions } = found;
    return {
      ...Object.fromEntries(extensions.map(({ name, counts }) => [name, counts])),
      seats: presentSeats(tenant),
      users: { total: tenant.userCount, active: tenant.seatsProvisioned },
      rooms: { total: tenant.roomCount, mapped },
      identity_provider: provider
        ? toWire(IdentityProvider, {
            keyId: provider.key.id,
            description: provider.key.description,
            ...provider.connection,
          })
        : null,
      attention: found.attention,
    };
  };
};

interface Overviews {
  readonly view: ReturnType<typeof overviewView>;
  readonly overviewOf: ReturnType<typeof createOverview>;
}

const readOverview = ({ view, overviewOf }: Overviews): Route =>
  tenantRoute({
    method: 'GET',
    path: '/overview',
    operationId: 'getTenantOverview',
    tag,
    summary: 'Get an overview of a tenant',
    description:
      'Its counts, and what needs attention now. Costs the same for a tenant of any size.',
    responses: { 200: { description: 'The overview.', body: view } },
    handler: async ({ caller: { tenant } }) => ({ status: 200, body: await overviewOf(tenant) }),
  });

const listOverviews = ({ tenants }: RouteParts, { view, overviewOf }: Overviews): Route => {
  const item = z
    .strictObject({
      slug: z.string().describe("The tenant's slug."),
      name: z.string(),
      overview: view,
    })
    .meta({ id: 'TenantSummary' });
  return operatorRoute({
    method: 'GET',
    path: '/overviews',
    operationId: 'listTenantOverviews',
    isForBoundOperators: true,
    tag,
    summary: 'List the overviews of tenants',
    description: 'The seats of each tenant, and what needs attention. Oldest tenant first.',
    query: z.strictObject({ ...PAGE_FIELDS, limit: wholeNumber(1, 100).default(50) }),
    responses: {
      200: { description: 'A page.', body: pageOf('tenants', item, 'TenantOverviewList') },
    },
    handler: async ({ query, caller }) => {
      const page = await tenants.page(query, caller.tenants);
      const listed: z.output<typeof item>[] = [];
      // One by one: a page is not to take the database from requests that write.
      for (const tenant of page.items) {
        const { slug, name } = tenant;
        listed.push({ slug, name, overview: await overviewOf(tenant) });
      }
      return { status: 200, body: { tenants: listed, total: page.total, ...query } };
    },
  });
};

const readActivity = ({ activity, now }: RouteParts): Route =>
  tenantRoute({
    method: 'GET',
    path: '/activity',
    operationId: 'getTenantActivity',
    tag,
    summary: 'Count commands and events over time',
    description:
      'From the provisioning log, in steps of 5 minutes (up to 6 hours), an hour (up to 48) or 4 ' +
      `hours. Each outcome is counted up to ${MAX_COUNTED_COMMANDS} per hour.`,
    query: z.strictObject({
      hours: wholeNumber(1, 168).default(24).describe('How far back; at most a week.'),
    }),
    responses: { 200: { description: 'The counts, oldest first.', body: ActivityView } },
    handler: async ({ caller: { tenant }, query: { hours } }) => {
      const stepMs = stepOf(hours);
      const until = new Date((Math.floor(now().getTime() / stepMs) + 1) * stepMs);
      const steps = Math.ceil((hours * HOUR_MS) / stepMs);
      const from = new Date(until.getTime() - steps * stepMs);
      const points = await activity.points(tenant.id, { from, until, stepMs });
      const body = toWire(ActivityView, { from, until, stepSeconds: stepMs / 1_000, points });
      return { status: 200, body };
    },
  });

/** What operators see first of a tenant. */
export const overviewRoutes = (parts: RouteParts): readonly Route[] => {
  const overviews = {
    view: overviewView(parts.extensions.overviews),
    overviewOf: createOverview(parts),
  };
  return [readOverview(overviews), listOverviews(parts, overviews), readActivity(parts)];
};
