import { useLocation } from 'wouter-preact';
import { useOpen, useParams } from '../address.ts';
import { type Schema, useData, Button, hasRole } from '../ui.ts';
import { ListPage } from '../components/list.tsx';
import { SmsListForm } from '../components/sms-list-form.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { Validity } from '../components/validity.tsx';
import type { PageProps } from '../page-route.ts';

const columnsOf = (slug: string): readonly Column<Schema<'SmsList'>>[] => [
  {
    title: 'List',
    cell: ({ id, name, external_id: externalId }) => (
      <RowTitle href={`/t/${slug}/sms-lists/${id}`} title={name} detail={externalId} />
    ),
  },
  { title: 'Validity', cell: (list) => <Validity of={list} /> },
  { title: 'Numbers', figure: 'member_count' },
  { title: 'Updated', time: 'updated_at', isMinor: true },
];

const SmsLists = ({ slug }: PageProps) => {
  const [, go] = useLocation();
  const [{ offset }] = useParams('offset');
  const [isCreating, setCreating] = useOpen('create');
  const lists = useData('/admin/v1/tenants/{slug}/sms-lists', {
    path: { slug },
    query: { limit: 50, offset },
  });
  return (
    <ListPage
      title="SMS lists"
      lead="Phone numbers that receive text messages. Numbers are stored encrypted and shown masked."
      create={
        hasRole('operator') && (
          <Button icon="plus" label="Create list" onClick={() => setCreating(true)} />
        )
      }
      of={lists}
      rows={(page) => page.sms_lists}
      caption="SMS lists"
      columns={columnsOf(slug)}
      lines={8}
      empty={{
        icon: 'message',
        title: 'No SMS lists yet',
        text: (
          <>
            Create a list, then import its numbers from a CSV file. Programs use the REST API with
            the scope <code>api:sms_lists:write</code>.
          </>
        ),
      }}
    >
      {isCreating && (
        <SmsListForm
          slug={slug}
          onSaved={({ id, name }) => {
            showToast(`Created ${name}`);
            go(`/t/${slug}/sms-lists/${id}`);
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
};

export default SmsLists;
