import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { type Loaded, useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable, ExternalId } from '../components/copy-button.tsx';
import { Empty } from '../components/empty.tsx';
import { instantOf, localTime, TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { ImportNumbers } from '../components/import-numbers.tsx';
import { NoAccess } from '../components/no-access.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { PendingPage } from '../components/pending-page.tsx';
import { SmsListForm } from '../components/sms-list-form.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Validity, WindowFields, windowOf } from '../components/validity.tsx';
import type { PageAccess, PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';
import { withQuery } from '../with-query.ts';

const LIMIT = 50;
const IMPORT: PageAccess = { role: 'operator', of: 'tenant' };

type SmsList = Schema<'SmsList'>;
type SmsMember = Schema<'SmsMember'>;

/** The path parameters of a list. */
interface ListPath {
  readonly slug: string;
  readonly id: string;
}

const AddNumber = ({
  path,
  list,
  onSaved,
  onClose,
}: {
  readonly path: ListPath;
  readonly list: SmsList;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) => {
  const [number, setNumber] = useState('');
  const [name, setName] = useState('');
  const [validity, setValidity] = useState({ from: '', until: '' });
  return (
    <FormDialog
      title={`Add a number to ${list.name}`}
      action="Add number"
      onClose={onClose}
      onSubmit={async () => {
        const member = { phone_number: number, display_name: name || null, ...windowOf(validity) };
        const { members_added: added } = await gateway.post(
          '/admin/v1/tenants/{slug}/sms-lists/{id}/members',
          { path, body: { members: [member] } },
        );
        showToast(added === 1 ? 'Added 1 number' : 'Updated 1 number');
        onSaved();
        onClose();
      }}
    >
      <TextField
        label="Phone number"
        hint="Include the country code, such as +49 30 901820."
        required
        maxLength={64}
        value={number}
        onChange={setNumber}
      />
      <TextField label="Name" hint="Optional." maxLength={256} value={name} onChange={setName} />
      <WindowFields value={validity} onChange={setValidity} />
    </FormDialog>
  );
};

const RemoveNumber = ({
  path,
  list,
  member,
  onRemoved,
}: {
  readonly path: ListPath;
  readonly list: SmsList;
  readonly member: SmsMember;
  readonly onRemoved: () => void;
}) => {
  const [isAsking, setAsking] = useState(false);
  const name = member.display_name ?? member.phone_number;
  return (
    <>
      <button
        type="button"
        class="secondary small"
        aria-label={`Remove ${name}`}
        onClick={() => setAsking(true)}
      >
        Remove
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${name} from ${list.name}?`}
          action="Remove 1 number"
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/sms-lists/{id}/members/{memberId}', {
              path: { ...path, memberId: member.id },
            });
            showToast(`Removed ${name} from ${list.name}`);
            onRemoved();
          }}
          onClose={() => setAsking(false)}
        >
          <p>The number no longer receives messages sent to this list.</p>
        </ConfirmDialog>
      )}
    </>
  );
};

const columnsOf = (actions: {
  readonly path: ListPath;
  readonly list: SmsList;
  readonly onRemoved: () => void;
}): readonly Column<SmsMember>[] => [
  {
    title: 'Number',
    cell: ({ phone_number: number }) => <code class="masked">{number}</code>,
  },
  { title: 'Name', cell: ({ display_name: name }) => name ?? <span class="quiet">none</span> },
  { title: 'Validity', cell: (member) => <Validity of={member} /> },
  {
    title: 'Added',
    kind: 'figure',
    isMinor: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
  ...(hasRole('operator')
    ? [
        {
          title: 'Actions',
          kind: 'actions' as const,
          cell: (member: SmsMember) => <RemoveNumber {...actions} member={member} />,
        },
      ]
    : []),
];

const Numbers = ({
  slug,
  list,
  onChanged,
}: {
  readonly slug: string;
  readonly list: SmsList;
  readonly onChanged: () => void;
}) => {
  const [{ offset, at }, change] = useParams('offset', 'at');
  const path = { slug, id: list.id };
  const all = useData(
    '/admin/v1/tenants/{slug}/sms-lists/{id}/members',
    at === '' ? { path, query: { limit: LIMIT, offset } } : null,
  );
  const reached = useData(
    '/admin/v1/tenants/{slug}/sms-lists/{id}/recipients',
    at === '' ? null : { path, query: { limit: LIMIT, offset, at: instantOf(at) } },
  );
  const members: Loaded<Schema<'SmsMemberList'> | Schema<'SmsRecipientList'>> =
    at === '' ? all : reached;
  const onRemoved = () => {
    members.reload();
    onChanged();
  };
  return (
    <Section title={at === '' ? 'Numbers' : 'Recipients at this time'} flush>
      <div class="card-filters">
        <div class="inline-field">
          <TextField
            label="Recipients at"
            type="datetime-local"
            value={at}
            onChange={(next) => change({ at: next, offset: '' })}
          />
          {at === '' ? (
            <button
              type="button"
              class="secondary small"
              onClick={() => change({ at: localTime(Date.now()), offset: '' })}
            >
              Now
            </button>
          ) : (
            <button
              type="button"
              class="secondary small"
              onClick={() => change({ at: '', offset: '' })}
            >
              All numbers
            </button>
          )}
        </div>
      </div>
      <Async of={members} lines={6}>
        {(page) => {
          const shown = 'members' in page ? page.members : page.recipients;
          return shown.length === 0 ? (
            <Empty
              icon="message"
              title={at === '' ? 'No numbers yet' : 'No recipients at this time'}
            >
              <p>
                {at === ''
                  ? 'Import a CSV file, or add a number.'
                  : 'The list or its numbers are not valid at this time.'}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption={`Numbers of ${list.name}`}
                columns={columnsOf({ path, list, onRemoved })}
                rows={shown}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={shown.length} />
            </>
          );
        }}
      </Async>
    </Section>
  );
};

const SmsListPage = ({ slug, id }: PageProps) => {
  const [, go] = useLocation();
  const [{ import: isImporting }, change] = useParams('import');
  const [open, setOpen] = useState<'add' | 'edit' | 'delete'>();
  const path = { slug, id };
  const read = useData('/admin/v1/tenants/{slug}/sms-lists/{id}', { path });
  const here = `/t/${slug}/sms-lists`;
  const up = { href: here, title: 'SMS lists' };
  const close = () => setOpen(undefined);
  if (!read.data) return <PendingPage of={read} kind="SMS list" up={up} />;
  const list = read.data;
  if (isImporting !== '' && !hasRole('operator'))
    return <NoAccess to="the import of numbers" access={IMPORT} slug={slug} />;
  if (isImporting !== '')
    return (
      <ImportNumbers
        key="import"
        path={path}
        list={list}
        up={{ href: `${here}/${id}`, title: list.name }}
        onDone={() => {
          change({ import: '' });
          read.reload();
        }}
      />
    );
  const count = list.member_count === 1 ? '1 number' : `${list.member_count} numbers`;
  return (
    <Page
      key="list"
      title={list.name}
      up={up}
      lead={<Validity of={list} />}
      actions={
        hasRole('operator') && (
          <>
            <button type="button" class="secondary danger-text" onClick={() => setOpen('delete')}>
              Delete
            </button>
            <button type="button" class="secondary" onClick={() => setOpen('edit')}>
              Edit
            </button>
            <button type="button" class="secondary" onClick={() => setOpen('add')}>
              <Icon name="plus" />
              Add number
            </button>
            <button type="button" onClick={() => change({ import: '1' })}>
              <Icon name="download" />
              Import CSV
            </button>
          </>
        )
      }
    >
      <div class="columns">
        <div>
          <Numbers key={list.updated_at} slug={slug} list={list} onChanged={read.reload} />
        </div>
        <div>
          <Section title="Details">
            <Facts
              of={[
                ['Numbers', list.member_count],
                ['Validity', <Validity key="v" of={list} />],
                ['External ID', <ExternalId key="e" of={list.external_id} />],
                ['Created', <Time key="c" at={list.created_at} form="absolute" />],
                ['Updated', <Time key="u" at={list.updated_at} form="absolute" />],
                ['ID', <Copyable key="i" text={list.id} what="the list ID" />],
                [
                  'Log',
                  <Link key="l" href={withQuery(`/t/${slug}/log`, { q: list.id })}>
                    View changes
                  </Link>,
                ],
              ]}
            />
          </Section>
        </div>
      </div>
      {open === 'add' && (
        <AddNumber path={path} list={list} onSaved={read.reload} onClose={close} />
      )}
      {open === 'edit' && (
        <SmsListForm
          slug={slug}
          list={list}
          onSaved={({ name }) => {
            showToast(`Saved ${name}`);
            read.reload();
            close();
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete ${list.name}?`}
          action={`Delete list ${list.name} with ${count}`}
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/sms-lists/{id}', { path });
            showToast(`Deleted ${list.name} with ${count}`);
            go(here);
          }}
          onClose={close}
        >
          <p>The list and its numbers are permanently deleted.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
};

export default SmsListPage;
