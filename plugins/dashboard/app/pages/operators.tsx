import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { OperatorRole, Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { tenants } from '../tenants.ts';
import { showToast } from '../toasts.ts';

type Operator = Schema<'Operator'>;

const ROLES: readonly (readonly [role: OperatorRole, may: string])[] = [
  ['owner', 'Full access, including operators, tenants and the admin token'],
  ['admin', 'Full access to tenants: keys, webhooks, role mappings and rooms'],
  ['operator', 'Daily work: users, members, SMS lists, deliveries and approvals'],
  ['auditor', 'Read-only access'],
];

const EditOperator = ({
  operator,
  onClose,
  onDone,
}: {
  readonly operator: Operator | undefined;
  readonly onClose: () => void;
  readonly onDone: (saved: Operator) => void;
}) => {
  const [name, setName] = useState(operator?.name ?? '');
  const [email, setEmail] = useState(operator?.email ?? '');
  const [role, setRole] = useState<OperatorRole>(operator?.role ?? 'operator');
  const [bound, setBound] = useState<readonly string[]>(operator?.tenants ?? []);
  const [error, setError] = useState<ApiError>();
  const save = async () => {
    setError(undefined);
    const body = {
      name: name.trim(),
      email: email.trim() === '' ? null : email.trim(),
      role,
      tenants: role === 'owner' || bound.length === 0 ? null : bound,
    };
    try {
      onDone(
        operator
          ? await gateway.patch('/admin/v1/operators/{id}', { path: { id: operator.id }, body })
          : await gateway.post('/admin/v1/operators', { body }),
      );
    } catch (fault) {
      setError(asApiError(fault));
    }
  };
  return (
    <Dialog title={operator ? `Edit ${operator.name}` : 'New operator'} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Name
          <input
            type="text"
            required
            maxLength={256}
            autoComplete="off"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          Email (optional)
          <input
            type="email"
            autoComplete="off"
            value={email}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
        </label>
        <fieldset class="choices is-list">
          <legend>Role</legend>
          {ROLES.map(([value, may]) => (
            <label key={value} class="choice">
              <input
                type="radio"
                name="role"
                checked={role === value}
                onChange={() => setRole(value)}
              />
              <span>
                <strong>{value}</strong>
                <small>{may}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {role !== 'owner' && (
          <fieldset>
            <legend>Tenants (none selected: all)</legend>
            {tenants.value?.map(({ slug, name: tenantName }) => (
              <label key={slug}>
                <input
                  type="checkbox"
                  checked={bound.includes(slug)}
                  onChange={(event) =>
                    setBound(
                      event.currentTarget.checked
                        ? [...bound, slug]
                        : bound.filter((one) => one !== slug),
                    )
                  }
                />
                {tenantName}
              </label>
            ))}
          </fieldset>
        )}
        {error && <ErrorNote error={error} />}
        <footer>
          <button type="button" class="secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit">{operator ? 'Save' : 'Create operator'}</button>
        </footer>
      </form>
    </Dialog>
  );
};

const SignInLink = ({
  operator,
  onClose,
}: {
  readonly operator: Operator;
  readonly onClose: () => void;
}) => {
  const [link, setLink] = useState<Schema<'SignInLink'>>();
  const [error, setError] = useState<ApiError>();
  const create = async () => {
    try {
      setLink(await gateway.post('/admin/v1/operators/{id}/link', { path: { id: operator.id } }));
    } catch (fault) {
      setError(asApiError(fault));
    }
  };
  return (
    <Dialog title={`Sign-in link for ${operator.name}`} onClose={onClose}>
      {link ? (
        <>
          <p>Send this link over a secure channel. It works once and replaces earlier links.</p>
          <div class="secret-line">
            <Copyable text={link.url} what="the link" />
          </div>
          <p class="quiet">
            Valid until <Time at={link.expires_at} form="absolute" />.
          </p>
        </>
      ) : (
        <p>The link signs in {operator.name} once, within 24 hours. You will see it only once.</p>
      )}
      {error && <ErrorNote error={error} />}
      <footer>
        <button type="button" class="secondary" onClick={onClose}>
          {link ? 'Done' : 'Cancel'}
        </button>
        {!link && (
          <button type="button" onClick={() => void create()}>
            Create link
          </button>
        )}
      </footer>
    </Dialog>
  );
};

const Sessions = ({
  operator,
  onClose,
}: {
  readonly operator: Operator;
  readonly onClose: () => void;
}) => {
  const sessions = useData('/admin/v1/operators/{id}/sessions', { path: { id: operator.id } });
  const end = async (id: string) => {
    try {
      await gateway.delete('/admin/v1/operators/{id}/sessions/{sessionId}', {
        path: { id: operator.id, sessionId: id },
      });
      showToast('Revoked 1 session');
      sessions.reload();
    } catch (fault) {
      showToast(asApiError(fault).message, 'bad');
    }
  };
  return (
    <Dialog title={`Sessions of ${operator.name}`} onClose={onClose} wide>
      <Async of={sessions} lines={3}>
        {({ sessions: list }) =>
          list.length === 0 ? (
            <Empty icon="lock" title="Not signed in" />
          ) : (
            <ul class="rows">
              {list.map(({ id, user_agent: agent, last_seen_at: at, is_current: isCurrent }) => (
                <li key={id}>
                  <span>
                    {agent ?? 'Unknown browser'}{' '}
                    <small>
                      last active <Time at={at} />
                    </small>
                  </span>
                  {isCurrent ? (
                    <Badge tone="accent">Current</Badge>
                  ) : (
                    <button type="button" class="secondary small" onClick={() => void end(id)}>
                      Revoke
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Async>
    </Dialog>
  );
};

interface Asked {
  readonly kind: 'edit' | 'link' | 'sessions' | 'delete' | 'disable';
  readonly operator?: Operator;
}

const columnsOf = (ask: (asked: Asked) => void): readonly Column<Operator>[] => [
  {
    title: 'Operator',
    cell: ({ name, email }) => (
      <span class="log-what">
        <strong>{name}</strong>
        {email !== null && <small>{email}</small>}
      </span>
    ),
  },
  { title: 'Role', cell: ({ role }) => <Badge tone="accent">{role}</Badge> },
  { title: 'Tenants', cell: ({ tenants: bound }) => bound?.join(', ') ?? 'All' },
  {
    title: 'Status',
    cell: ({ disabled_at: at }) => (
      <Badge tone={at === null ? 'good' : 'neutral'}>{at === null ? 'Active' : 'Disabled'}</Badge>
    ),
  },
  { title: 'Last sign-in', kind: 'figure', cell: ({ last_sign_in_at: at }) => <Time at={at} /> },
  {
    title: 'Actions',
    kind: 'actions',
    cell: (operator) => {
      const action = (kind: Asked['kind'], label: string) => (
        <button
          type="button"
          class="secondary small"
          aria-label={`${label}: ${operator.name}`}
          onClick={() => ask({ kind, operator })}
        >
          {label}
        </button>
      );
      return (
        <span class="row-actions">
          {operator.source === 'link' && action('edit', 'Edit')}
          {operator.source === 'link' && action('link', 'Sign-in link')}
          {action('sessions', 'Sessions')}
          {action('disable', operator.disabled_at === null ? 'Disable' : 'Enable')}
          {action('delete', 'Delete')}
        </span>
      );
    },
  },
];

const Operators = () => {
  const [asked, setAsked] = useState<Asked>();
  const read = useData('/admin/v1/operators', { query: { limit: 500 } });
  const close = () => setAsked(undefined);
  const operator = asked?.operator;
  return (
    <Page
      title="Operators"
      lead="People who can use this dashboard, and their roles."
      actions={
        <button type="button" onClick={() => setAsked({ kind: 'edit' })}>
          <Icon name="plus" />
          New operator
        </button>
      }
    >
      <Async of={read} lines={5}>
        {({ operators }) =>
          operators.length === 0 ? (
            <Empty icon="shield" title="No operators yet">
              <p>
                Create an account for each person, so that the provisioning log shows who made a
                change. They sign in with a link, or through your identity provider if{' '}
                <code>operators.oidc</code> is configured.
              </p>
            </Empty>
          ) : (
            <Table
              caption="Operators"
              columns={columnsOf(setAsked)}
              rows={operators}
              keyOf={({ id }) => id}
            />
          )
        }
      </Async>
      {asked?.kind === 'edit' && (
        <EditOperator
          operator={operator}
          onClose={close}
          onDone={(saved) => {
            showToast(`Saved ${saved.name}`);
            read.reload();
            if (operator) close();
            else setAsked({ kind: 'link', operator: saved });
          }}
        />
      )}
      {asked?.kind === 'link' && operator && <SignInLink operator={operator} onClose={close} />}
      {asked?.kind === 'sessions' && operator && <Sessions operator={operator} onClose={close} />}
      {asked?.kind === 'disable' && operator && (
        <ConfirmDialog
          title={`${operator.disabled_at === null ? 'Disable' : 'Enable'} ${operator.name}?`}
          action={`${operator.disabled_at === null ? 'Disable' : 'Enable'} 1 operator`}
          isDestructive={operator.disabled_at === null}
          onConfirm={async () => {
            const disabled = operator.disabled_at === null;
            await gateway.patch('/admin/v1/operators/{id}', {
              path: { id: operator.id },
              body: { disabled },
            });
            showToast(`${disabled ? 'Disabled' : 'Enabled'} ${operator.name}`);
            read.reload();
          }}
          onClose={close}
        >
          <p>
            {operator.disabled_at === null
              ? 'They are signed out immediately and cannot sign in.'
              : 'They can sign in again.'}
          </p>
        </ConfirmDialog>
      )}
      {asked?.kind === 'delete' && operator && (
        <ConfirmDialog
          title={`Delete ${operator.name}?`}
          action="Delete 1 operator"
          onConfirm={async () => {
            await gateway.delete('/admin/v1/operators/{id}', { path: { id: operator.id } });
            showToast(`Deleted ${operator.name}`);
            read.reload();
          }}
          onClose={close}
        >
          <p>They are signed out immediately. Their entries in the provisioning log are kept.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
};

export default Operators;
