import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { Form } from '../form-errors.tsx';
import { Dialog } from './dialog.tsx';
import { CheckField, TextField, useFields } from './fields.tsx';
import { PreviewedWrite, writeOf } from './previewed-write.tsx';

type RoleMapping = Schema<'RoleMapping'>;

export const PRIORITY_STEP = 10;

/** Creates a role mapping, or changes one, after a preview. */
export const EditMapping = ({
  slug,
  mapping,
  group = '',
  priority = 100,
  onChanged,
  onClose,
}: {
  readonly slug: string;
  readonly mapping?: RoleMapping | undefined;
  /** Of a new mapping. */
  readonly group?: string;
  readonly priority?: number;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) => {
  const { values, first, field } = useFields({
    group: mapping?.group_display_name ?? group,
    role: mapping?.role ?? '',
    priority: String(mapping?.priority ?? priority),
    applies: mapping?.apply_on_scim_provisioning ?? true,
  });
  const groups = useData('/admin/v1/tenants/{slug}/groups', {
    path: { slug },
    query: { limit: 200 },
  });
  const bodyOf = (of: typeof values) => ({
    group_display_name: of.group,
    role: of.role,
    priority: Number(of.priority),
    apply_on_scim_provisioning: of.applies,
  });
  const changes = changesOf(bodyOf(first), bodyOf(values));
  const body = {
    ...bodyOf(values),
    group_display_name: values.group.trim(),
    role: values.role.trim(),
  };
  const write = mapping
    ? writeOf('patch', '/admin/v1/tenants/{slug}/role-mappings/{id}', {
        path: { slug, id: mapping.id },
        body: changes,
      })
    : writeOf('post', '/admin/v1/tenants/{slug}/role-mappings', { path: { slug }, body });
  return (
    <Dialog
      title={mapping ? `Edit the mapping of ${mapping.group_display_name}` : 'New role mapping'}
      onClose={onClose}
    >
      <Form>
        <TextField
          label="Group in the identity provider"
          hint="Its display name. The group does not have to exist yet."
          list="groups"
          required
          maxLength={256}
          {...field('group')}
          name="group_display_name"
        />
        <datalist id="groups">
          {groups.data?.groups.map(({ display_name: name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField label="Role of its members" required maxLength={64} {...field('role')} />
        <TextField
          label="Priority"
          hint="If a user is in several mapped groups, the lowest number wins."
          type="number"
          min={0}
          max={1_000_000}
          required
          {...field('priority')}
        />
        <CheckField label="Apply on SCIM provisioning" isSwitch {...field('applies')} />
        <PreviewedWrite
          key={JSON.stringify(body)}
          slug={slug}
          write={write}
          action="Save"
          isBlocked={mapping !== undefined && isEmpty(changes)}
          done={`Saved the mapping of ${body.group_display_name}`}
          onChanged={onChanged}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
};
