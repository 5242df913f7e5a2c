import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { type Loaded, useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { Copyable } from '../components/copy.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { ChoiceCards, TextField, useFields } from '../components/fields.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { PreviewedWrite, writeOf } from '../components/previewed-write.tsx';
import { Time } from '../components/time.tsx';
import { showToast } from '../components/toasts.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { loadTenants } from '../tenants.ts';

type Tenant = Schema<'Tenant'>;

const PATH = '/admin/v1/tenants/{slug}';

const textOf = (value: number | string | null): string => (value === null ? '' : String(value));
const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

/** What the form changes, and nothing else. */
const changesOf = (before: Tenant, after: Omit<Tenant, 'id' | 'slug' | 'created_at'>) => {
  const differs = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify((before as Readonly<Record<string, unknown>>)[name]);
  return Object.fromEntries(Object.entries(after).filter(differs)) as Partial<typeof after>;
};

const ROOM_CHOICES = [
  ['manual', 'Refuse the group', 'An operator creates the room first, or maps one to the group.'],
  ['automatic', 'Create the room', 'Every group of the identity provider becomes a room.'],
] as const;

const PUT_CHOICES = [
  ['clear', 'Remove all members', 'As SCIM specifies.'],
  ['keep', 'Keep the members', 'For clients that leave out what they do not change.'],
] as const;

const Settings = ({
  tenant,
  onSaved,
}: {
  readonly tenant: Tenant;
  readonly onSaved: () => void;
}) => {
  const { slug } = tenant;
  const initial = () => ({
    name: tenant.name,
    seats: textOf(tenant.seat_capacity),
    role: tenant.default_role,
    rooms: tenant.room_provisioning,
    country: textOf(tenant.default_country),
    removals: textOf(tenant.scim.max_removals_per_hour),
    put: tenant.scim.put_without_members,
    isStrict: tenant.scim.strict_errors,
  });
  const { values, field } = useFields(initial);
  const { name, seats, role, rooms, country, removals, put, isStrict } = values;
  const body = changesOf(tenant, {
    name,
    seat_capacity: numberOf(seats),
    default_role: role,
    room_provisioning: rooms,
    default_country: country === '' ? null : country.toUpperCase(),
    scim: {
      put_without_members: put,
      strict_errors: isStrict,
      max_removals_per_hour: numberOf(removals),
    },
  });
  const isChanged = Object.keys(body).length > 0;
  return (
    <Section title="Settings">
      <fieldset disabled={!hasRole('admin')}>
        <legend class="visually-hidden">Settings of the tenant</legend>
        <TextField label="Name" required maxLength={256} {...field('name')} />
        <TextField
          label="Seats"
          hint="Maximum number of active users. Empty: no limit. If it is below the number of active users, they stay, and nobody can be added."
          type="number"
          min={0}
          {...field('seats')}
        />
        <TextField
          label="Default role"
          hint="Role of users without a role mapping."
          required
          maxLength={64}
          {...field('role')}
        />
        <ChoiceCards
          legend="A pushed group without a room"
          name="rooms"
          choices={ROOM_CHOICES}
          {...field('rooms')}
        />
        <TextField
          label="Removals per hour"
          hint="How many users one API key may deactivate or delete, and members remove, over SCIM. Empty: any number."
          type="number"
          min={1}
          max={1_000_000}
          {...field('removals')}
        />
        <ChoiceCards
          legend="A SCIM PUT of a group without members"
          name="put"
          choices={PUT_CHOICES}
          {...field('put')}
        />
        <TextField
          label="Country of phone numbers"
          hint="Two letters, such as DE, for numbers without a country code on SMS lists. Empty: a country code is required."
          maxLength={2}
          {...field('country')}
        />
        <label>
          <input
            type="checkbox"
            checked={isStrict}
            onChange={(event) => field('isStrict').onChange(event.currentTarget.checked)}
          />
          SCIM errors with the attributes of RFC 7644 only
        </label>
      </fieldset>
      {isChanged && (
        <PreviewedWrite
          key={JSON.stringify(body)}
          slug={slug}
          write={writeOf('patch', PATH, { path: { slug }, body })}
          action="Save changes"
          onDone={() => {
            showToast('Saved the settings');
            onSaved();
          }}
          onCancel={onSaved}
        />
      )}
    </Section>
  );
};

const DeleteTenant = ({ tenant: { slug, name } }: { readonly tenant: Tenant }) => {
  const [, go] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  return (
    <>
      <Button label="Delete tenant…" class="secondary danger-text" onClick={() => setOpen(true)} />
      {isOpen && (
        <FormDialog
          title={`Delete ${name}?`}
          action={`Delete tenant ${name}`}
          isBlocked={typed !== slug}
          onClose={() => setOpen(false)}
          onSubmit={async () => {
            await gateway.delete(PATH, { path: { slug } });
            await loadTenants();
            showToast(`Deleted tenant ${name}`);
            go('/');
          }}
        >
          <p>
            All its users, rooms, groups, SMS lists, API keys and webhooks are deleted, and its
            provisioning log. This cannot be undone.
          </p>
          <TextField label={`Type ${slug} to confirm`} required value={typed} onChange={setTyped} />
        </FormDialog>
      )}
    </>
  );
};

const Saved = ({ of: { data, reload } }: { readonly of: Loaded<Tenant> & { data: Tenant } }) => {
  const [turn, setTurn] = useState(0);
  const onSaved = () => {
    void loadTenants();
    reload();
    setTurn(turn + 1);
  };
  return <Settings key={`${turn} ${JSON.stringify(data)}`} tenant={data} onSaved={onSaved} />;
};

const TenantPage = ({ slug }: PageProps) => {
  const read = useData(PATH, { path: { slug } });
  const { data: tenant } = read;
  if (!tenant) return <PendingPage of={read} kind="Tenant" up={{ href: '/', title: 'Home' }} />;
  return (
    <Page
      title="Tenant"
      lead={`The settings of ${tenant.name}.`}
      actions={hasRole('owner') && <DeleteTenant tenant={tenant} />}
    >
      <div class="columns">
        <div>
          <Saved of={{ ...read, data: tenant }} />
        </div>
        <div>
          <Details
            of={[
              ['Slug', <Copyable key="s" text={slug} what="the slug" />],
              ['Created', <Time key="c" at={tenant.created_at} form="absolute" />],
              ['ID', <Copyable key="i" text={tenant.id} what="the tenant ID" />],
            ]}
          />
        </div>
      </div>
    </Page>
  );
};

export default TenantPage;
