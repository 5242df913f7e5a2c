import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { gateway, type Schema, type Loaded, useData, Time, hasRole } from '../ui.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { Copyable } from '../components/copy.tsx';
import { CustomAttributes } from '../components/custom-attributes.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { TextField, useFields } from '../components/fields.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { PreviewedWrite, writeOf } from '../components/previewed-write.tsx';
import { SettingField, type SettingSchema } from '../components/setting-field.tsx';
import { showToast } from '../components/toasts.tsx';
import { Form } from '../form-errors.tsx';
import type { PageProps } from '../page-route.ts';
import { loadTenants } from '../tenants.ts';
import { useUnsaved } from '../unsaved.ts';

type Tenant = Schema<'Tenant'>;

const PATH = '/admin/v1/tenants/{slug}';

const textOf = (value: number | string | null): string => (value === null ? '' : String(value));
const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

/** Of the OpenAPI document, by vite.config.js. */
declare const TENANT_SETTINGS: {
  readonly room_provisioning: SettingSchema;
  readonly scim: Readonly<Record<string, SettingSchema>>;
};

/** The changed settings of an object, and of the one in it. */
const rowsOf = (before: object, changes: object, parent = ''): Schema<'LoggedChange'>[] =>
  Object.entries(changes).flatMap(([name, after]: readonly [string, unknown]) => {
    const old = (before as Readonly<Record<string, unknown>>)[name];
    return typeof after === 'object' && after !== null
      ? rowsOf(old as object, after, `${name}.`)
      : { path: parent + name, before: old, after };
  });

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
    scim: tenant.scim,
  });
  const { values, first, field } = useFields(initial);
  const { rooms, scim } = values;
  const bodyOf = ({ name, seats, role, rooms, country, scim }: typeof values) => ({
    name,
    seat_capacity: numberOf(seats),
    default_role: role,
    room_provisioning: rooms,
    default_country: country === '' ? null : country.toUpperCase(),
    scim,
  });
  const before = bodyOf(first);
  const body = changesOf(before, bodyOf(values));
  useUnsaved(() => !isEmpty(body));
  return (
    <Section title="Settings">
      <Form>
        <fieldset disabled={!hasRole('admin')}>
          <legend class="visually-hidden">Settings of the tenant</legend>
          <TextField label="Name" required maxLength={256} {...field('name')} />
          <TextField
            label="Seats"
            hint="Maximum number of active users. Empty: no limit. If it is below the number of active users, they stay, and no user can be added."
            type="number"
            min={0}
            {...field('seats')}
            name="seat_capacity"
          />
          <TextField
            label="Default role"
            hint="Role of users without a role mapping."
            required
            maxLength={64}
            {...field('role')}
            name="default_role"
          />
          <SettingField
            name="room_provisioning"
            schema={TENANT_SETTINGS.room_provisioning}
            value={rooms}
            onChange={(value) => field('rooms').onChange(value as Tenant['room_provisioning'])}
          />
          <TextField
            label="Country of phone numbers"
            hint="Two letters, such as DE, for numbers without a country code on SMS lists. Empty: a country code is required."
            maxLength={2}
            {...field('country')}
            name="default_country"
          />
          <h3>SCIM</h3>
          {Object.entries(TENANT_SETTINGS.scim).map(([key, schema]) => (
            <SettingField
              key={key}
              name={key}
              schema={schema}
              value={scim[key as keyof typeof scim]}
              onChange={(value) => field('scim').onChange({ ...scim, [key]: value })}
            />
          ))}
        </fieldset>
        {!isEmpty(body) && (
          <div class="save-bar">
            <PreviewedWrite
              key={JSON.stringify(body)}
              slug={slug}
              write={writeOf('patch', PATH, { path: { slug }, body })}
              action="Save changes"
              done="Saved the settings"
              onClose={onSaved}
            >
              <section>
                <DiffView changes={rowsOf(before, body)} />
              </section>
            </PreviewedWrite>
          </div>
        )}
      </Form>
    </Section>
  );
};

const DeleteTenant = ({ tenant: { slug, name } }: { readonly tenant: Tenant }) => {
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  return (
    <DialogButton label="Delete tenant…" class="secondary danger-text">
      {(close) => (
        <FormDialog
          title={`Delete ${name}?`}
          action={`Delete tenant ${name}`}
          isBlocked={typed !== slug}
          onClose={close}
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
    </DialogButton>
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
      actions={
        <>
          {hasRole('admin') && <Link href={`/t/${slug}/settings/tenant/file`}>Edit as file</Link>}
          {hasRole('owner') && <DeleteTenant tenant={tenant} />}
        </>
      }
    >
      <div class="columns">
        <div>
          <Saved of={{ ...read, data: tenant }} />
          <CustomAttributes slug={slug} />
        </div>
        <Details
          of={[
            [
              'Seats',
              <Link key="u" href={`/t/${slug}/users?active=true&sort=-created_at`}>
                Users who take them
              </Link>,
            ],
            ['Slug', <Copyable key="s" text={slug} what="the slug" />],
            ['Created', <Time key="c" at={tenant.created_at} form="absolute" />],
            ['ID', <Copyable key="i" text={tenant.id} what="the tenant ID" />],
          ]}
        />
      </div>
    </Page>
  );
};

export default TenantPage;
