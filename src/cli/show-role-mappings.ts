import { printable } from './display-width.js';
import type { GatewayAnswer } from './gateway-client.js';
import type { Session } from './session.js';
import { showTime } from './show-time.js';
import { renderFields, renderTable } from './table.js';
import { RoleMappingView } from './views.js';

const applies = ({ apply_on_scim_provisioning }: RoleMappingView): string =>
  apply_on_scim_provisioning ? 'yes' : 'no';

export const showRoleMapping = (session: Session, answer: GatewayAnswer): void => {
  const mapping = session.read(RoleMappingView, answer);
  session.print({
    people: () =>
      renderFields(
        [
          ['group', printable(mapping.group_display_name)],
          ['role', printable(mapping.role)],
          ['applies', applies(mapping)],
          ['priority', String(mapping.priority)],
          ['id', mapping.id],
        ],
        session.paint,
      ),
    json: answer.text,
    quiet: () => mapping.id,
  });
};

export const roleMappingTable = (
  mappings: readonly RoleMappingView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (mappings.length === 0) return '';
  const now = world.now();
  return renderTable<RoleMappingView>(
    [
      {
        title: 'GROUP',
        cell: ({ group_display_name }) => printable(group_display_name),
        wrapAt: 40,
      },
      { title: 'ROLE', cell: ({ role }) => printable(role), wrapAt: 24 },
      { title: 'APPLIES', cell: applies },
      { title: 'PRIORITY', cell: ({ priority }) => String(priority), align: 'right' },
      { title: 'CREATED', cell: ({ created_at }) => showTime(created_at, now) },
      { title: 'MAPPING ID', cell: ({ id }) => id },
    ],
    mappings,
    paint,
  );
};
