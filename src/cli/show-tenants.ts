import { printable } from './display-width.js';
import type { GatewayAnswer } from './gateway-client.js';
import type { Session } from './session.js';
import { showTime } from './show-time.js';
import { renderFields, renderTable } from './table.js';
import { TenantView } from './views.js';

const seatsOf = ({ seat_capacity }: TenantView): string =>
  seat_capacity === null ? 'unlimited' : String(seat_capacity);

const PUT_WITHOUT_MEMBERS = {
  clear: 'empties the group',
  keep: 'keeps the members of the group',
} as const;

const errorsOf = ({ scim }: TenantView): string =>
  scim.strict_errors ? "the RFC's attributes only" : 'with error and request_id';

/** A tenant's settings and the addresses to give away. */
export const showTenant = (session: Session, answer: GatewayAnswer): void => {
  const tenant = session.read(TenantView, answer);
  const base = `${session.access.publicUrl}/v1/${tenant.slug}`;
  session.print({
    people: () =>
      renderFields(
        [
          ['slug', tenant.slug],
          ['name', printable(tenant.name)],
          ['seats', seatsOf(tenant)],
          ['default role', printable(tenant.default_role)],
          ['rooms of groups', `${tenant.room_provisioning} provisioning`],
          ['default country', tenant.default_country ?? 'none'],
          ['PUT without members', PUT_WITHOUT_MEMBERS[tenant.scim.put_without_members]],
          ['SCIM errors', errorsOf(tenant)],
          ['created', showTime(tenant.created_at, session.world.now())],
          ['id', tenant.id],
          ['REST address', base],
          ['SCIM address', `${base}/scim/v2`],
        ],
        session.paint,
      ),
    json: answer.text,
    quiet: () => tenant.slug,
  });
};

export const tenantTable = (
  tenants: readonly TenantView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (tenants.length === 0) return '';
  const now = world.now();
  return renderTable<TenantView>(
    [
      { title: 'SLUG', cell: ({ slug }) => slug },
      { title: 'NAME', cell: ({ name }) => printable(name), wrapAt: 40 },
      { title: 'SEATS', cell: seatsOf, align: 'right' },
      { title: 'DEFAULT ROLE', cell: ({ default_role }) => printable(default_role), wrapAt: 24 },
      { title: 'ROOMS', cell: ({ room_provisioning }) => room_provisioning },
      { title: 'CREATED', cell: ({ created_at }) => showTime(created_at, now) },
    ],
    tenants,
    paint,
  );
};
