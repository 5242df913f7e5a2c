import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copy-button.tsx';
import { CopyOnce } from '../components/copy-once.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { ChoiceCards, TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Note } from '../components/note.tsx';
import { Facts, Page } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';
import {
  describeScopes,
  PRESETS,
  type Preset,
  presetOf,
  RESOURCES,
  type Scope,
} from '../scopes.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';
import { withQuery } from '../with-query.ts';

const LIMIT = 100;
const HOUR_MS = 3_600_000;

type ApiKey = Schema<'ApiKey'>;
type CreatedApiKey = Schema<'CreatedApiKey'>;

const Scopes = ({ of }: { readonly of: readonly Scope[] }) => (
  <ul class="scopes">
    {describeScopes(of).map(({ title, rights }) => (
      <li key={title}>
        {title} <small>{rights}</small>
      </li>
    ))}
  </ul>
);

const ScopeBox = ({
  scope,
  label,
  scopes,
  onChange,
}: {
  readonly scope: Scope | undefined;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}) =>
  scope === undefined ? (
    <span class="quiet" aria-label="not available">
      –
    </span>
  ) : (
    <input
      type="checkbox"
      aria-label={label}
      checked={scopes.includes(scope)}
      onChange={(event) =>
        onChange(
          event.currentTarget.checked
            ? [...scopes, scope]
            : scopes.filter((other) => other !== scope),
        )
      }
    />
  );

const ScopeMatrix = ({
  scopes,
  onChange,
}: {
  readonly scopes: readonly Scope[];
  readonly onChange: (scopes: readonly Scope[]) => void;
}) => (
  <table class="matrix">
    <caption class="visually-hidden">Scopes</caption>
    <thead>
      <tr>
        <th scope="col">Resource</th>
        <th scope="col">Read</th>
        <th scope="col">Write</th>
      </tr>
    </thead>
    <tbody>
      {RESOURCES.map(({ title, about, read, write }) => (
        <tr key={title}>
          <th scope="row">
            {title}
            <small>{about}</small>
          </th>
          <td>
            <ScopeBox scope={read} label={`Read ${title}`} scopes={scopes} onChange={onChange} />
          </td>
          <td>
            <ScopeBox scope={write} label={`Write ${title}`} scopes={scopes} onChange={onChange} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The key, once, and where it goes. */
const ShowKey = ({
  slug,
  title,
  created,
  isScim,
  onDone,
}: {
  readonly slug: string;
  readonly title: string;
  readonly created: CreatedApiKey;
  readonly isScim: boolean;
  readonly onDone: () => void;
}) => {
  const address = `${window.location.origin}/v1/${slug}${isScim ? '/scim/v2' : ''}`;
  return (
    <Dialog mustAnswer title={title} onClose={onDone}>
      <p>
        {isScim ? 'SCIM base URL' : 'API base URL'} <Copyable text={address} what="the URL" />
      </p>
      <CopyOnce secret={created.key} what="the API key" onDone={onDone} />
    </Dialog>
  );
};

const CreateKey = ({
  slug,
  onCreated,
  onClose,
}: {
  readonly slug: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) => {
  const [description, setDescription] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(PRESETS[0][3]);
  const [preset, setPreset] = useState<Preset>('idp');
  const [created, setCreated] = useState<CreatedApiKey>();
  if (created)
    return (
      <ShowKey
        slug={slug}
        title={`Created key ${description}`}
        created={created}
        isScim={scopes.some((scope) => scope.startsWith('scim:'))}
        onDone={onClose}
      />
    );
  return (
    <FormDialog
      wide
      title="Create API key"
      action="Create key"
      isBlocked={scopes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        setCreated(
          await gateway.post('/admin/v1/tenants/{slug}/api-keys', {
            path: { slug },
            body: { description, scopes },
          }),
        );
        onCreated();
      }}
    >
      <TextField
        label="Name"
        hint="What uses the key, such as Okta. Shown in the provisioning log."
        required
        maxLength={256}
        value={description}
        onChange={setDescription}
      />
      <ChoiceCards
        legend="Preset"
        name="preset"
        value={preset}
        choices={PRESETS.map(([key, title, about]) => [key, title, about] as const)}
        onChange={(next) => {
          setPreset(next);
          const chosen = PRESETS.find(([key]) => key === next)?.[3] ?? [];
          if (chosen.length > 0) setScopes(chosen);
        }}
      />
      <ScopeMatrix
        scopes={scopes}
        onChange={(next) => {
          setScopes(next);
          setPreset(presetOf(next));
        }}
      />
      <p class="quiet">Write access does not include read access. Keys do not expire.</p>
    </FormDialog>
  );
};

const RotateKey = ({
  slug,
  apiKey,
  onCreated,
  onClose,
}: {
  readonly slug: string;
  readonly apiKey: ApiKey;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) => {
  const [created, setCreated] = useState<CreatedApiKey>();
  const { description, scopes, prefix } = apiKey;
  if (created)
    return (
      <ShowKey
        slug={slug}
        title={`New key ${description}`}
        created={created}
        isScim={scopes.some((scope) => scope.startsWith('scim:'))}
        onDone={onClose}
      />
    );
  return (
    <FormDialog
      title={`Rotate key ${description}`}
      action="Create new key"
      onClose={onClose}
      onSubmit={async () => {
        setCreated(
          await gateway.post('/admin/v1/tenants/{slug}/api-keys', {
            path: { slug },
            body: { description, scopes },
          }),
        );
        onCreated();
      }}
    >
      <ol class="how-to">
        <li>
          <strong>Create a new key</strong> with the same name and scopes. Both keys are valid.
        </li>
        <li>
          <strong>Replace the old key</strong> <code>{prefix}…</code> with it wherever it is used.
        </li>
        <li>
          <strong>Wait until the old key is no longer used.</strong> This page shows when each key
          was last used.
        </li>
        <li>
          <strong>Delete the old key.</strong>
        </li>
      </ol>
    </FormDialog>
  );
};

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
      <dl class="pair">
        <div>
          <dt>
            Old <code>{old.prefix}…</code>
          </dt>
          <dd>
            last used <Time at={old.last_used_at} />
          </dd>
        </div>
        <div>
          <dt>
            New <code>{next.prefix}…</code>
          </dt>
          <dd>
            last used <Time at={next.last_used_at} />
          </dd>
        </div>
      </dl>
      {hasRole('admin') && (
        <button type="button" class="secondary small danger-text" onClick={onDelete}>
          {`Delete the old key ${old.prefix}…`}
        </button>
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
        <button type="button" class="secondary" onClick={() => onOpen('removals')}>
          Allow removals
        </button>
      )}
      {hasRole('admin') && (
        <>
          <button type="button" class="secondary danger-text" onClick={() => onOpen('delete')}>
            Delete
          </button>
          <button type="button" onClick={() => onOpen('rotate')}>
            Rotate
          </button>
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
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/settings/api-keys?key=${id}`}>
          <strong>{description}</strong>
        </Link>
        <small>
          <code>{prefix}…</code>
        </small>
      </span>
    ),
  },
  { title: 'Scopes', cell: ({ scopes }) => <Scopes of={scopes} /> },
  {
    title: 'Last used',
    cell: ({ key_id: id, last_used_at: at }) => (
      <>
        <Time at={at} /> {superseded.has(id) && <Badge tone="warning">Old</Badge>}
      </>
    ),
  },
  {
    title: 'Created',
    kind: 'figure',
    isMinor: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
  ...(hasRole('admin')
    ? [
        {
          title: 'Actions',
          kind: 'actions' as const,
          cell: (apiKey: ApiKey) => (
            <div role="group">
              <button
                type="button"
                class="secondary small"
                aria-label={`Rotate key ${apiKey.description} ${apiKey.prefix}`}
                onClick={() => onOpen({ kind: 'rotate', apiKey })}
              >
                Rotate
              </button>
              <button
                type="button"
                class="secondary small danger-text"
                aria-label={`Delete key ${apiKey.description} ${apiKey.prefix}`}
                onClick={() => onOpen({ kind: 'delete', apiKey })}
              >
                Delete
              </button>
            </div>
          ),
        },
      ]
    : []),
];

const ApiKeys = ({ slug }: PageProps) => {
  const [{ key: shownId, offset }, change] = useParams('key', 'offset');
  const [open, setOpen] = useState<Open>();
  const keys = useData('/admin/v1/tenants/{slug}/api-keys', {
    path: { slug },
    query: { limit: LIMIT, offset },
  });
  const close = () => setOpen(undefined);
  const listed = keys.data?.api_keys ?? [];
  const rotations = findRotations(listed);
  const shown = listed.find(({ key_id: id }) => id === shownId);
  const createButton = hasRole('admin') && (
    <button type="button" onClick={() => setOpen({ kind: 'create' })}>
      <Icon name="plus" />
      Create key
    </button>
  );
  return (
    <Page
      title="API keys"
      lead="Identity providers and programs authenticate with API keys. Scopes limit what each key can do."
      actions={listed.length > 0 && createButton}
    >
      <Async of={keys} lines={6}>
        {(page) =>
          page.api_keys.length === 0 ? (
            <Empty icon="key" title="No API keys yet">
              <p>
                Create a key for your identity provider, or follow the{' '}
                <Link href={`/t/${slug}/setup`}>guided setup</Link>.
              </p>
              {createButton}
            </Empty>
          ) : (
            <>
              {rotations.map(({ old, next }) => (
                <Rotation
                  key={old.key_id}
                  old={old}
                  next={next}
                  onDelete={() => setOpen({ kind: 'delete', apiKey: old })}
                />
              ))}
              <Table
                caption="API keys"
                columns={columnsOf(slug, new Set(rotations.map(({ old }) => old.key_id)), setOpen)}
                rows={page.api_keys}
                keyOf={({ key_id: id }) => id}
              />
              <Pager page={page} shown={page.api_keys.length} />
            </>
          )
        }
      </Async>
      {shown && !open && (
        <KeyDetails
          slug={slug}
          apiKey={shown}
          onOpen={(kind) => setOpen({ kind, apiKey: shown })}
          onClose={() => change({ key: '' })}
        />
      )}
      {open?.kind === 'create' && <CreateKey slug={slug} onCreated={keys.reload} onClose={close} />}
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
    </Page>
  );
};

export default ApiKeys;
