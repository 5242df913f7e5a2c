import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams, withQuery } from '../address.ts';
import { gateway, type Schema, useData, Button, Note, Time, hasRole } from '../ui.ts';
import { Badge } from '../components/badges.tsx';
import { Copyable } from '../components/copy.tsx';
import { CreateKey, RotateKey } from '../components/create-key.tsx';
import { ConfirmDialog, Dialog } from '../components/dialog.tsx';
import { ListPage } from '../components/list.tsx';
import { Menu } from '../components/menu.tsx';
import { Facts } from '../components/page.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import type { PageProps } from '../page-route.ts';
import { describeScopes, type Scope } from '../scopes.ts';

const HOUR_MS = 3_600_000;

type ApiKey = Schema<'ApiKey'>;

const Scopes = ({ of }: { readonly of: readonly Scope[] }) => (
  <ul class="scopes cluster">
    {describeScopes(of).map(({ title, rights }) => (
      <li key={title}>
        {title} <small>{rights}</small>
      </li>
    ))}
  </ul>
);

const DeleteKey = ({
  slug,
  apiKey,
  onDeleted,
  onClose,
}: {
  readonly slug: string;
  readonly apiKey: ApiKey;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) => {
  const { key_id: id, description, prefix, last_used_at: lastUse } = apiKey;
  const isInUse = lastUse !== null && Date.now() - Date.parse(lastUse) < 24 * HOUR_MS;
  return (
    <ConfirmDialog
      title={`Delete key ${description}?`}
      action={`Delete key ${description} (${prefix}…)`}
      onClose={onClose}
      onConfirm={async () => {
        await gateway.delete('/admin/v1/tenants/{slug}/api-keys/{keyId}', {
          path: { slug, keyId: id },
        });
        showToast(`Deleted key ${description} (${prefix}…)`);
        onDeleted();
      }}
    >
      <p>Requests with this key fail within a second. This cannot be undone.</p>
      {isInUse && (
        <Note tone="warning">
          <p>
            This key was last used <Time at={lastUse} />. To avoid an interruption, rotate it first.
          </p>
        </Note>
      )}
    </ConfirmDialog>
  );
};

const AllowRemovals = ({
  slug,
  apiKey,
  onClose,
}: {
  readonly slug: string;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}) => (
  <ConfirmDialog
    title={`Allow removals for ${apiKey.description}?`}
    action={`Allow key ${apiKey.description} unlimited removals for 1 hour`}
    onClose={onClose}
    onConfirm={async () => {
      await gateway.post('/admin/v1/tenants/{slug}/api-keys/{keyId}/allow-removals', {
        path: { slug, keyId: apiKey.key_id },
      });
      showToast(`Key ${apiKey.description} can remove any number for 1 hour`);
    }}
  >
    <p>
      For 1 hour, this key can deactivate and delete any number of users and remove any number of
      group members. Then the tenant's hourly limit applies again.
    </p>
  </ConfirmDialog>
);

/** Keys that have a newer one with the same name and scopes: a rotation that has not ended. */
const findRotations = (
  keys: readonly ApiKey[],
): readonly { readonly old: ApiKey; readonly next: ApiKey }[] => {
  const kindOf = ({ description, scopes }: ApiKey): string =>
    JSON.stringify([description, scopes.toSorted()]);
  return keys.flatMap((old) => {
    const newer = keys.filter(
      (key) => kindOf(key) === kindOf(old) && key.created_at > old.created_at,
    );
    const next = newer.at(-1);
    return next ? [{ old, next }] : [];
  });
};

const Rotation = ({
  old,
  next,
  onDelete,
}: {
  readonly old: ApiKey;
  readonly next: ApiKey;
  readonly onDelete: () => void;
}) => {
  const isIdle =
    next.last_used_at !== null &&
    (old.last_used_at === null || Date.now() - Date.parse(old.last_used_at) > HOUR_MS);
  return (
    <Note tone={isIdle ? 'good' : 'info'} icon="refresh">
      <p>
        <strong>{`Key ${old.description} is being rotated.`}</strong>{' '}
        {next.last_used_at === null
          ? `The new key ${next.prefix}… has not been used yet. Replace the old key with it.`
          : isIdle
            ? 'The old key has not been used for an hour. Delete it when you are sure; some providers synchronise only once a day.'
            : 'Both keys are in use. Wait until the old one is no longer used.'}
      </p>
      <dl class="cluster">
        {[['Old', old] as const, ['New', next] as const].map(
          ([word, { prefix, last_used_at: at }]) => (
            <div key={word} class="row">
              <dt>
                {word} <code>{prefix}…</code>
              </dt>
              <dd>
                last used <Time at={at} />
              </dd>
            </div>
          ),
        )}
      </dl>
      {hasRole('admin') && (
        <Button
          label={`Delete the old key ${old.prefix}…`}
          class="secondary small danger-text"
          onClick={onDelete}
        />
      )}
    </Note>
  );
};

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'rotate' | 'delete' | 'removals'; readonly apiKey: ApiKey };

const KeyDetails = ({
  slug,
  apiKey,
  onOpen,
  onClose,
}: {
  readonly slug: string;
  readonly apiKey: ApiKey;
  readonly onOpen: (kind: 'rotate' | 'delete' | 'removals') => void;
  readonly onClose: () => void;
}) => (
  <Dialog title={`Key ${apiKey.description}`} onClose={onClose}>
    <Facts
      of={[
        ['Prefix', <code key="p">{apiKey.prefix}…</code>],
        ['Scopes', <Scopes key="s" of={apiKey.scopes} />],
        ['Created', <Time key="c" at={apiKey.created_at} form="absolute" />],
        ['Last used', <Time key="u" at={apiKey.last_used_at} />],
        [
          'Expires',
          apiKey.expires_at === null ? (
            'never'
          ) : (
            <Time key="e" at={apiKey.expires_at} form="absolute" />
          ),
        ],
        ['ID', <Copyable key="i" text={apiKey.key_id} what="the key ID" />],
        [
          'Log',
          <Link key="l" href={withQuery(`/t/${slug}/log`, { actor: apiKey.key_id })}>
            View changes
          </Link>,
        ],
      ]}
    />
    <footer>
      {hasRole('operator') && (
        <Button label="Allow removals" class="secondary" onClick={() => onOpen('removals')} />
      )}
      {hasRole('admin') && (
        <>
          <Button label="Delete" class="secondary danger-text" onClick={() => onOpen('delete')} />
          <Button label="Rotate" onClick={() => onOpen('rotate')} />
        </>
      )}
    </footer>
  </Dialog>
);

const columnsOf = (
  slug: string,
  superseded: ReadonlySet<string>,
  onOpen: (open: Open) => void,
): readonly Column<ApiKey>[] => [
  {
    title: 'Key',
    cell: ({ key_id: id, description, prefix }) => (
      <RowTitle
        href={`/t/${slug}/settings/api-keys?key=${id}`}
        title={description}
        detail={<code>{prefix}…</code>}
      />
    ),
  },
  { title: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
  {
    title: 'Last used',
    cell: ({ key_id: id, last_used_at: at, is_unused: isUnused }) => (
      <>
        <Time at={at} /> {superseded.has(id) && <Badge tone="warning">Old</Badge>}
        {isUnused && <Badge tone="warning">Not used for 90 days</Badge>}
      </>
    ),
  },
  {
    title: 'Expires',
    cell: ({ expires_at: at }) =>
      at === null ? (
        <span class="quiet">never</span>
      ) : Date.parse(at) > Date.now() ? (
        <Time at={at} />
      ) : (
        <Badge tone="bad">Expired</Badge>
      ),
  },
  { title: 'Created', time: 'created_at', isMinor: true },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'admin',
    cell: (apiKey) => (
      <Menu
        about={`Actions for key ${apiKey.description} ${apiKey.prefix}`}
        items={[
          { label: 'Rotate', onSelect: () => onOpen({ kind: 'rotate', apiKey }) },
          { label: 'Allow removals', onSelect: () => onOpen({ kind: 'removals', apiKey }) },
          {
            label: 'Delete',
            isDestructive: true,
            onSelect: () => onOpen({ kind: 'delete', apiKey }),
          },
        ]}
      />
    ),
  },
];

const ApiKeys = ({ slug }: PageProps) => {
  const [{ key: shownId, offset, create }, change] = useParams('key', 'offset', 'create');
  const [open, setOpen] = useState<Open>();
  const keys = useData('/admin/v1/tenants/{slug}/api-keys', {
    path: { slug },
    query: { limit: 100, offset },
  });
  const close = () => {
    setOpen(undefined);
    change({ create: '' });
  };
  const listed = keys.data?.api_keys ?? [];
  const rotations = findRotations(listed);
  const shown = listed.find(({ key_id: id }) => id === shownId);
  return (
    <ListPage
      title="API keys"
      lead="Identity providers and programs authenticate with API keys. Scopes limit what each key can do."
      create={
        hasRole('admin') && (
          <Button icon="plus" label="Create key" onClick={() => setOpen({ kind: 'create' })} />
        )
      }
      of={keys}
      rows={(page) => page.api_keys}
      caption="API keys"
      columns={columnsOf(slug, new Set(rotations.map(({ old }) => old.key_id)), setOpen)}
      by="key_id"
      empty={{
        icon: 'key',
        title: 'No API keys yet',
        text: (
          <>
            Create a key for your identity provider, or follow the{' '}
            <Link href={`/t/${slug}/setup`}>guided setup</Link>.
          </>
        ),
      }}
      before={rotations.map(({ old, next }) => (
        <Rotation
          key={old.key_id}
          old={old}
          next={next}
          onDelete={() => setOpen({ kind: 'delete', apiKey: old })}
        />
      ))}
    >
      {shown && !open && (
        <KeyDetails
          slug={slug}
          apiKey={shown}
          onOpen={(kind) => setOpen({ kind, apiKey: shown })}
          onClose={() => change({ key: '' })}
        />
      )}
      {(open?.kind === 'create' || create !== '') && (
        <CreateKey slug={slug} onCreated={keys.reload} onClose={close} />
      )}
      {open?.kind === 'rotate' && (
        <RotateKey
          slug={slug}
          apiKey={open.apiKey}
          onCreated={keys.reload}
          onClose={() => {
            close();
            change({ key: '' });
          }}
        />
      )}
      {open?.kind === 'delete' && (
        <DeleteKey
          slug={slug}
          apiKey={open.apiKey}
          onDeleted={() => {
            change({ key: '' });
            keys.reload();
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'removals' && (
        <AllowRemovals slug={slug} apiKey={open.apiKey} onClose={close} />
      )}
    </ListPage>
  );
};

export default ApiKeys;
