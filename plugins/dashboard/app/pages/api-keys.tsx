import { Link } from 'wouter-preact';
import { useOpen, useParams } from '../address.ts';
import { gateway, type Schema, useData, Button, Note, Time, hasRole } from '../ui.ts';
import { Badge } from '../components/badges.tsx';
import { LogLink } from '../components/commands.tsx';
import { Copyable } from '../components/copy.tsx';
import { CreateKey, RotateKey } from '../components/create-key.tsx';
import { ConfirmDialog, Dialog, DialogButton } from '../components/dialog.tsx';
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

interface OfKey {
  readonly slug: string;
  readonly apiKey: ApiKey;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

const DeleteKey = ({ slug, apiKey, onChanged, onClose }: OfKey) => {
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
        onChanged();
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

const AllowRemovals = ({ slug, apiKey, onClose }: OfKey) => (
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
  ...of
}: Omit<OfKey, 'apiKey' | 'onClose'> & { readonly old: ApiKey; readonly next: ApiKey }) => {
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
        <DialogButton
          label={`Delete the old key ${old.prefix}…`}
          class="secondary small danger-text"
        >
          {(close) => <DeleteKey {...of} apiKey={old} onClose={close} />}
        </DialogButton>
      )}
    </Note>
  );
};

const KeyDetails = (of: OfKey) => {
  const { slug, apiKey, onChanged, onClose } = of;
  const changed = () => {
    onClose();
    onChanged();
  };
  return (
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
          ['Log', <LogLink key="l" slug={slug} of={{ actor: apiKey.key_id }} />],
        ]}
      />
      <footer>
        {hasRole('operator') && (
          <DialogButton label="Allow removals" class="secondary">
            {(close) => <AllowRemovals {...of} onClose={close} />}
          </DialogButton>
        )}
        {hasRole('admin') && (
          <>
            <DialogButton label="Delete" class="secondary danger-text">
              {(close) => <DeleteKey {...of} onChanged={changed} onClose={close} />}
            </DialogButton>
            <DialogButton label="Rotate">
              {(close) => <RotateKey {...of} onCreated={changed} onClose={close} />}
            </DialogButton>
          </>
        )}
      </footer>
    </Dialog>
  );
};

const columnsOf = (
  slug: string,
  superseded: ReadonlySet<string>,
  onChanged: () => void,
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
    cell: (apiKey) => {
      const of = (onClose: () => void) => ({ slug, apiKey, onChanged, onClose });
      return (
        <Menu
          about={`Actions for key ${apiKey.description} ${apiKey.prefix}`}
          items={[
            {
              label: 'Rotate',
              dialog: (close) => <RotateKey {...of(close)} onCreated={onChanged} />,
            },
            { label: 'Allow removals', dialog: (close) => <AllowRemovals {...of(close)} /> },
            {
              label: 'Delete',
              isDestructive: true,
              dialog: (close) => <DeleteKey {...of(close)} />,
            },
          ]}
        />
      );
    },
  },
];

const ApiKeys = ({ slug }: PageProps) => {
  const [{ key: shownId, offset }, change] = useParams('key', 'offset');
  const [isCreating, setCreating] = useOpen('create');
  const keys = useData('/admin/v1/tenants/{slug}/api-keys', {
    path: { slug },
    query: { limit: 100, offset },
  });
  const listed = keys.data?.api_keys ?? [];
  const rotations = findRotations(listed);
  const shown = listed.find(({ key_id: id }) => id === shownId);
  return (
    <ListPage
      title="API keys"
      lead="Identity providers and programs authenticate with API keys. Scopes limit what each key can do."
      create={
        hasRole('admin') && (
          <Button icon="plus" label="Create key" onClick={() => setCreating(true)} />
        )
      }
      of={keys}
      rows={(page) => page.api_keys}
      caption="API keys"
      columns={columnsOf(slug, new Set(rotations.map(({ old }) => old.key_id)), keys.reload)}
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
      before={rotations.map((pair) => (
        <Rotation key={pair.old.key_id} slug={slug} {...pair} onChanged={keys.reload} />
      ))}
    >
      {shown && (
        <KeyDetails
          slug={slug}
          apiKey={shown}
          onChanged={keys.reload}
          onClose={() => change({ key: '' })}
        />
      )}
      {isCreating && (
        <CreateKey slug={slug} onCreated={keys.reload} onClose={() => setCreating(false)} />
      )}
    </ListPage>
  );
};

export default ApiKeys;
