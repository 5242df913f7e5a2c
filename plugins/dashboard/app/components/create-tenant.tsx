import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import { loadTenants } from '../tenants.ts';
import { FormDialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { showToast } from './toasts.tsx';

/** `Acme Rescue` → `acme-rescue` */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s-]/g, '')
    .trim()
    .replaceAll(/[\s-]+/g, '-')
    .slice(0, 63);

/** Creates a tenant, and continues with its identity provider. */
const CreateTenant = ({ onClose }: { readonly onClose: () => void }) => {
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [typedSlug, setSlug] = useState<string>();
  const [seats, setSeats] = useState('');
  const slug = typedSlug ?? slugOf(name);
  return (
    <FormDialog
      title="Create tenant"
      action="Create tenant"
      onClose={onClose}
      onSubmit={async () => {
        await gateway.post('/admin/v1/tenants', {
          body: { slug, name: name.trim(), ...(seats !== '' && { seat_capacity: Number(seats) }) },
        });
        await loadTenants();
        showToast(`Created tenant ${name}`);
        onClose();
        go(`/t/${slug}/setup`);
      }}
    >
      <TextField
        label="Name"
        name="name"
        hint="The organisation, such as Acme Rescue."
        required
        maxLength={256}
        value={name}
        onChange={setName}
      />
      <TextField
        label="Slug"
        name="slug"
        hint="Part of its URLs. 3 to 63 characters: a-z, 0-9 and hyphens."
        required
        maxLength={63}
        value={slug}
        onChange={setSlug}
      />
      <TextField
        label="Seats"
        name="seat_capacity"
        hint="Maximum number of active users. Leave empty for no limit."
        type="number"
        min={0}
        value={seats}
        onChange={setSeats}
      />
    </FormDialog>
  );
};

export default CreateTenant;
