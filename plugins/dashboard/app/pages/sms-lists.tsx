import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { SmsListForm } from '../components/sms-list-form.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { Validity } from '../components/validity.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';

const LIMIT = 50;

const columnsOf = (slug: string): readonly Column<Schema<'SmsList'>>[] => [
  {
    title: 'List',
    cell: ({ id, name, external_id: externalId }) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/sms-lists/${id}`}>
          <strong>{name}</strong>
        </Link>
        {externalId !== null && <small>{externalId}</small>}
      </span>
    ),
  },
  { title: 'Validity', cell: (list) => <Validity of={list} /> },
  { title: 'Numbers', kind: 'figure', cell: ({ member_count: count }) => count },
  {
    title: 'Updated',
    kind: 'figure',
    isMinor: true,
    cell: ({ updated_at: at }) => <Time at={at} />,
  },
];

const SmsLists = ({ slug }: PageProps) => {
  const [, go] = useLocation();
  const [{ offset }] = useParams('offset');
  const [isCreating, setCreating] = useState(false);
  const lists = useData('/admin/v1/tenants/{slug}/sms-lists', {
    path: { slug },
    query: { limit: LIMIT, offset },
  });
  const createButton = hasRole('operator') && (
    <button type="button" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Create list
    </button>
  );
  return (
    <Page
      title="SMS lists"
      lead="Phone numbers that receive text messages. Numbers are stored encrypted and shown masked."
      actions={(lists.data?.total ?? 0) > 0 && createButton}
    >
      <Async of={lists} lines={8}>
        {(page) =>
          page.sms_lists.length === 0 ? (
            <Empty icon="message" title="No SMS lists yet">
              <p>
                Create a list, then import its numbers from a CSV file. Programs use the REST API
                with the scope <code>api:sms_lists:write</code>.
              </p>
              {createButton}
            </Empty>
          ) : (
            <>
              <Table
                caption="SMS lists"
                columns={columnsOf(slug)}
                rows={page.sms_lists}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={page.sms_lists.length} />
            </>
          )
        }
      </Async>
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
    </Page>
  );
};

export default SmsLists;
