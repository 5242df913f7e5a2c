import { hasRole, type Schema, useData } from '../ui.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { Dialog, DialogButton } from '../components/dialog.tsx';
import { EditMapping, PRIORITY_STEP } from '../components/edit-mapping.tsx';
import { ListPage } from '../components/list.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { PreviewedWrite, writeOf } from '../components/previewed-write.tsx';
import { RoleTestBench } from '../components/role-test-bench.tsx';
import type { Column } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';

type RoleMapping = Schema<'RoleMapping'>;

/** The priority between a row and the one before it; undefined: no number is free. */
const priorityBefore = (rows: readonly RoleMapping[], at: number): number | undefined => {
  const next = rows[at]?.priority;
  const previous = at === 0 ? undefined : rows[at - 1]?.priority;
  if (next === undefined) return previous === undefined ? undefined : previous + PRIORITY_STEP;
  const wanted =
    previous === undefined ? Math.max(0, next - PRIORITY_STEP) : Math.floor((previous + next) / 2);
  return wanted < next && (previous === undefined || wanted > previous) ? wanted : undefined;
};

const MAPPING = '/admin/v1/tenants/{slug}/role-mappings/{id}';

interface MappingProps {
  readonly slug: string;
  readonly mapping: RoleMapping;
  readonly onChanged: () => void;
}

const MappingActions = ({
  rows,
  ...of
}: MappingProps & { readonly rows: readonly RoleMapping[] }) => {
  const { slug, mapping, onChanged } = of;
  const at = rows.indexOf(mapping);
  const name = mapping.group_display_name;
  const path = { slug, id: mapping.id };
  const move = (label: string, priority: number | undefined): MenuItem => ({
    label,
    isDisabled: priority === undefined,
    dialog: (close) => (
      <Dialog title={`Move ${name}?`} onClose={close}>
        <p>{`Its priority changes from ${mapping.priority} to ${priority}.`}</p>
        <PreviewedWrite
          slug={slug}
          write={writeOf('patch', MAPPING, { path, body: { priority: priority ?? 0 } })}
          action="Move"
          done={`Moved ${name}`}
          onChanged={onChanged}
          onClose={close}
        />
      </Dialog>
    ),
  });
  return (
    <Menu
      about={`Actions for the mapping of ${name}`}
      items={[
        { label: 'Edit', dialog: (close) => <EditMapping {...of} onClose={close} /> },
        move('Move up', at === 0 ? undefined : priorityBefore(rows, at - 1)),
        move('Move down', at === rows.length - 1 ? undefined : priorityBefore(rows, at + 2)),
        {
          label: 'Delete',
          isDestructive: true,
          dialog: (close) => (
            <Dialog title={`Delete the mapping of ${name}?`} onClose={close}>
              <p>
                Members of this group get the role of the next mapping that matches, or the default
                role.
              </p>
              <PreviewedWrite
                slug={slug}
                write={writeOf('delete', MAPPING, { path })}
                action="Delete 1 mapping"
                isDestructive
                done={`Deleted the mapping of ${name}`}
                onChanged={onChanged}
                onClose={close}
              />
            </Dialog>
          ),
        },
      ]}
    />
  );
};
const columnsOf = (
  slug: string,
  rows: readonly RoleMapping[],
  onChanged: () => void,
): readonly Column<RoleMapping>[] => [
  {
    title: 'Group',
    cell: (mapping) => (
      <span>
        <span class="order">{rows.indexOf(mapping) + 1}</span>
        <strong>{mapping.group_display_name}</strong>
      </span>
    ),
  },
  { title: 'Role', cell: ({ role }) => <Badge tone="accent">{role}</Badge> },
  { title: 'Priority', figure: 'priority' },
  { title: 'Source', isMinor: true, cell: ({ source }) => source.toUpperCase() },
  {
    title: 'SCIM provisioning',
    cell: ({ apply_on_scim_provisioning: applies }) => (
      <StateBadge of={applies ? ['good', 'Applies'] : ['neutral', 'Off']} />
    ),
  },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'admin',
    cell: (mapping) => (
      <MappingActions slug={slug} rows={rows} mapping={mapping} onChanged={onChanged} />
    ),
  },
];

const DirectoryRoles = ({ slug }: PageProps) => {
  const tenant = useData('/admin/v1/tenants/{slug}', { path: { slug } });
  const mappings = useData('/admin/v1/tenants/{slug}/role-mappings', {
    path: { slug },
    query: { limit: 500 },
  });
  const rows = [...(mappings.data?.role_mappings ?? [])].sort(
    (one, other) => one.priority - other.priority || one.created_at.localeCompare(other.created_at),
  );
  const defaultRole = tenant.data?.default_role ?? '…';
  return (
    <ListPage
      title="Directory roles"
      lead="Assign roles to users by their groups in the identity provider."
      actions={
        hasRole('admin') && (
          <DialogButton icon="plus" label="New mapping">
            {(close) => (
              <EditMapping
                slug={slug}
                priority={(rows.at(-1)?.priority ?? 0) + PRIORITY_STEP}
                onChanged={mappings.reload}
                onClose={close}
              />
            )}
          </DialogButton>
        )
      }
      of={mappings}
      rows={() => rows}
      caption="Role mappings, in the order in which they win"
      columns={columnsOf(slug, rows, mappings.reload)}
      lines={5}
      isWhole
      empty={{
        icon: 'shield',
        title: 'No role mappings yet',
        text: `All users have the default role "${defaultRole}". Add a mapping to assign another role to the members of a group.`,
      }}
      after={
        <p class="table-note">
          {`If several groups match, the first mapping in this list wins. Other users get the default role, "${defaultRole}". A mapping that is off gives no role; if its group is refused, the group is ignored.`}
        </p>
      }
    >
      <RoleTestBench slug={slug} />
    </ListPage>
  );
};

export default DirectoryRoles;
