import { useLocation } from 'wouter-preact';
import { useParams } from '../address.ts';
import { gateway, type Loaded, type Schema, useData, Button, Time } from '../ui.ts';
import { LogLink } from '../components/commands.tsx';
import { Copyable, ExternalId } from '../components/copy.tsx';
import { ConfirmButton, DialogButton, FormDialog } from '../components/dialog.tsx';
import { instantOf, localTime, TextField, useFields } from '../components/fields.tsx';
import { ImportNumbers } from '../components/import-numbers.tsx';
import { List } from '../components/list.tsx';
import NoAccess from '../components/no-access.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { SmsListForm } from '../components/sms-list-form.tsx';
import type { Column } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { Validity, WindowFields, windowOf } from '../components/validity.tsx';
import { counted } from '../counted.ts';
import type { PageAccess, PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';

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
  const { values, field } = useFields({
    number: '',
    name: '',
    validity: { from: '', until: '' },
  });
  return (
    <FormDialog
      title={`Add a number to ${list.name}`}
      action="Add number"
      onClose={onClose}
      onSubmit={async () => {
        const { number, name, validity } = values;
        const member = {
          phone_number: number,
          display_name: name.trim() || null,
          ...windowOf(validity),
        };
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
        {...field('number')}
      />
      <TextField label="Name" hint="Optional." maxLength={256} {...field('name')} />
      <WindowFields {...field('validity')} />
    </FormDialog>
  );
};

const columnsOf = (
  path: ListPath,
  list: SmsList,
  onRemoved: () => void,
): readonly Column<SmsMember>[] => [
  { title: 'Number', cell: ({ phone_number: number }) => number },
  { title: 'Name', cell: ({ display_name: name }) => name ?? <span class="quiet">none</span> },
  { title: 'Validity', cell: (member) => <Validity of={member} /> },
  { title: 'Added', time: 'created_at', isMinor: true },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'operator',
    cell: ({ id, display_name: displayName, phone_number: number }) => {
      const name = displayName ?? number;
      return (
        <ConfirmButton
          label="Remove"
          about={`Remove ${name}`}
          look="secondary small"
          title={`Remove ${name} from ${list.name}?`}
          action="Remove 1 number"
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/sms-lists/{id}/members/{memberId}', {
              path: { ...path, memberId: id },
            });
            showToast(`Removed ${name} from ${list.name}`);
            onRemoved();
          }}
        >
          <p>The number no longer receives messages sent to this list.</p>
        </ConfirmButton>
      );
    },
  },
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
    at === '' ? { path, query: { limit: 50, offset } } : null,
  );
  const reached = useData(
    '/admin/v1/tenants/{slug}/sms-lists/{id}/recipients',
    at === '' ? null : { path, query: { limit: 50, offset, at: instantOf(at) } },
  );
  const members: Loaded<Schema<'SmsMemberList'> | Schema<'SmsRecipientList'>> =
    at === '' ? all : reached;
  const onRemoved = () => {
    members.reload();
    onChanged();
  };
  return (
    <Section title={at === '' ? 'Numbers' : 'Recipients at this time'} flush>
      <div class="filters cluster">
        <TextField
          label="Recipients at"
          type="datetime-local"
          value={at}
          onChange={(next) => change({ at: next, offset: '' })}
        />
        <Button
          label={at === '' ? 'Now' : 'All numbers'}
          class="secondary small"
          onClick={() => change({ at: at === '' ? localTime(Date.now()) : '', offset: '' })}
        />
      </div>
      <List
        of={members}
        rows={(page) => ('members' in page ? page.members : page.recipients)}
        caption={`Numbers of ${list.name}`}
        columns={columnsOf(path, list, onRemoved)}
        empty={{
          icon: 'message',
          ...(at === ''
            ? { title: 'No numbers yet', text: 'Import a CSV file, or add a number.' }
            : {
                title: 'No recipients at this time',
                text: 'The list or its numbers are not valid at this time.',
              }),
        }}
      />
    </Section>
  );
};

const SmsListPage = ({ slug, id }: PageProps) => {
  const [, go] = useLocation();
  const [{ import: isImporting }, change] = useParams('import');
  const path = { slug, id };
  const read = useData('/admin/v1/tenants/{slug}/sms-lists/{id}', { path });
  const here = `/t/${slug}/sms-lists`;
  const up = { href: here, title: 'SMS lists' };
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
  const count = counted(list.member_count, 'number');
  return (
    <Page
      key="list"
      title={list.name}
      up={up}
      lead={<Validity of={list} />}
      actions={
        hasRole('operator') && (
          <>
            <ConfirmButton
              label="Delete"
              look="secondary danger-text"
              title={`Delete ${list.name}?`}
              action={`Delete list ${list.name} with ${count}`}
              onConfirm={async () => {
                await gateway.delete('/admin/v1/tenants/{slug}/sms-lists/{id}', { path });
                showToast(`Deleted ${list.name} with ${count}`);
                go(here);
              }}
            >
              <p>The list and its numbers are permanently deleted.</p>
            </ConfirmButton>
            <DialogButton label="Edit" class="secondary">
              {(close) => (
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
            </DialogButton>
            <DialogButton icon="plus" label="Add number" class="secondary">
              {(close) => (
                <AddNumber path={path} list={list} onSaved={read.reload} onClose={close} />
              )}
            </DialogButton>
            <Button icon="download" label="Import CSV" onClick={() => change({ import: '1' })} />
          </>
        )
      }
    >
      <div class="columns">
        <Numbers key={list.updated_at} slug={slug} list={list} onChanged={read.reload} />
        <Details
          of={[
            ['Numbers', list.member_count],
            ['Validity', <Validity key="v" of={list} />],
            ['External ID', <ExternalId key="e" of={list.external_id} />],
            ['Created', <Time key="c" at={list.created_at} form="absolute" />],
            ['Updated', <Time key="u" at={list.updated_at} form="absolute" />],
            ['ID', <Copyable key="i" text={list.id} what="the list ID" />],
            ['Log', <LogLink key="l" slug={slug} of={{ q: list.id }} />],
          ]}
        />
      </div>
    </Page>
  );
};

export default SmsListPage;
