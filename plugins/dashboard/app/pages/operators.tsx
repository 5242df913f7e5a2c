import { useState } from 'preact/hooks';
import { gateway, type OperatorRole, type Schema, useData, Button, Empty, Time } from '../ui.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { ConfirmDialog, Dialog, FormDialog } from '../components/dialog.tsx';
import { ChoiceCards, TextField, useFields } from '../components/fields.tsx';
import { ListPage } from '../components/list.tsx';
import { Menu } from '../components/menu.tsx';
import { Async } from '../components/page.tsx';
import { LinkDialog } from '../components/shown-once.tsx';
import { type Column, TwoLines } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { tenants } from '../tenants.ts';
import { attempt } from '../use-action.ts';
import { Passkeys } from './account.tsx';

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
  const { values, first, field } = useFields(() => ({
    name: operator?.name ?? '',
    email: operator?.email ?? '',
    role: operator?.role ?? ('operator' as const),
    access: operator?.tenants ? ('some' as const) : ('all' as const),
    bound: operator?.tenants ?? [],
  }));
  const { role, bound } = values;
  const bodyOf = ({ name, email, role, access, bound }: typeof values) => ({
    name,
    email: email.trim() === '' ? null : email,
    role,
    tenants: role === 'owner' || access === 'all' ? null : bound,
  });
  const body = bodyOf(values);
  const changes = changesOf(bodyOf(first), body);
  const isUnbound = body.tenants?.length === 0;
  return (
    <FormDialog
      title={operator ? `Edit ${operator.name}` : 'New operator'}
      action={operator ? 'Save' : 'Create operator'}
      isBlocked={operator ? isEmpty(changes) || (isUnbound && 'tenants' in changes) : isUnbound}
      onClose={onClose}
      onSubmit={async () =>
        onDone(
          operator
            ? await gateway.patch('/admin/v1/operators/{id}', {
                path: { id: operator.id },
                body: changes,
              })
            : await gateway.post('/admin/v1/operators', {
                body: { ...body, name: values.name.trim() },
              }),
        )
      }
    >
      <TextField label="Name" required maxLength={256} {...field('name')} />
      <TextField label="Email (optional)" type="email" {...field('email')} />
      <fieldset class="choices grid is-list">
        <legend>Role</legend>
        {ROLES.map(([value, may]) => (
          <label key={value}>
            <input
              type="radio"
              name="role"
              checked={role === value}
              onChange={() => field('role').onChange(value)}
            />
            <span>
              <strong>{value}</strong>
              <small>{may}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {role !== 'owner' && (
        <ChoiceCards
          legend="Tenants"
          choices={[
            ['all', 'All tenants', 'Including tenants that are created later'],
            ['some', 'Selected tenants', 'Access to other tenants is denied'],
          ]}
          {...field('access')}
        />
      )}
      {body.tenants && (
        <fieldset>
          <legend>Selected tenants</legend>
          {isUnbound && <p>None: select at least one to grant access.</p>}
          {tenants.value?.map(({ slug, name }) => (
            <label key={slug}>
              <input
                type="checkbox"
                checked={bound.includes(slug)}
                onChange={(event) =>
                  field('bound').onChange(
                    event.currentTarget.checked
                      ? [...bound, slug]
                      : bound.filter((one) => one !== slug),
                  )
                }
              />
              {name.trim() || slug}
            </label>
          ))}
        </fieldset>
      )}
    </FormDialog>
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
  const end = (sessionId: string) =>
    attempt(async () => {
      await gateway.delete('/admin/v1/operators/{id}/sessions/{sessionId}', {
        path: { id: operator.id, sessionId },
      });
      showToast('Revoked 1 session');
      sessions.reload();
    });
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
                    <Button label="Revoke" class="secondary small" onClick={() => void end(id)} />
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

const boundText = (bound: Operator['tenants']): string => {
  if (bound === null) return 'All';
  return bound.length === 0 ? 'None' : bound.join(', ');
};

interface Asked {
  readonly kind: 'edit' | 'link' | 'passkeys' | 'sessions' | 'delete' | 'disable';
  readonly operator?: Operator;
}

const columnsOf = (ask: (asked: Asked) => void): readonly Column<Operator>[] => [
  {
    title: 'Operator',
    cell: ({ name, email }) => (
      <TwoLines detail={email}>
        <strong>{name}</strong>
      </TwoLines>
    ),
  },
  { title: 'Role', cell: ({ role }) => <Badge tone="accent">{role}</Badge> },
  { title: 'Tenants', cell: ({ tenants: bound }) => boundText(bound) },
  {
    title: 'Status',
    cell: ({ disabled_at: at }) => (
      <StateBadge of={at === null ? ['good', 'Active'] : ['neutral', 'Disabled']} />
    ),
  },
  { title: 'Last sign-in', time: 'last_sign_in_at' },
  {
    title: 'Actions',
    kind: 'actions',
    cell: (operator) => {
      const action = (label: string, kind: Asked['kind'], isDestructive = false) => ({
        label,
        isDestructive,
        onSelect: () => ask({ kind, operator }),
      });
      return (
        <Menu
          about={`Actions for ${operator.name}`}
          items={[
            ...(operator.source === 'link'
              ? [
                  action('Edit', 'edit'),
                  action('Sign-in link', 'link'),
                  action('Passkeys', 'passkeys'),
                ]
              : []),
            action('Sessions', 'sessions'),
            action(operator.disabled_at === null ? 'Disable' : 'Enable', 'disable'),
            action('Delete', 'delete', true),
          ]}
        />
      );
    },
  },
];

/** The dialog of what was asked for one operator. */
const OperatorDialog = ({
  kind,
  operator,
  onChanged,
  onClose,
}: {
  readonly kind: Exclude<Asked['kind'], 'edit'>;
  readonly operator: Operator;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) => {
  const { name, disabled_at: disabledAt } = operator;
  const path = { id: operator.id };
  if (kind === 'sessions') return <Sessions operator={operator} onClose={onClose} />;
  if (kind === 'passkeys')
    return (
      <Dialog title={`Passkeys of ${name}`} onClose={onClose} wide>
        <Passkeys operator={operator} />
      </Dialog>
    );
  if (kind === 'link')
    return (
      <LinkDialog
        title={`Sign-in link for ${name}`}
        what="the link"
        sending="Send this link over a secure channel. It works once and replaces earlier links."
        create={() => gateway.post('/admin/v1/operators/{id}/link', { path })}
        onClose={onClose}
      >
        <p>The link signs in {name} once, within 24 hours. You will see it only once.</p>
      </LinkDialog>
    );
  if (kind === 'delete')
    return (
      <ConfirmDialog
        title={`Delete ${name}?`}
        action="Delete 1 operator"
        onConfirm={async () => {
          await gateway.delete('/admin/v1/operators/{id}', { path });
          showToast(`Deleted ${name}`);
          onChanged();
        }}
        onClose={onClose}
      >
        <p>They are signed out immediately. Their entries in the provisioning log are kept.</p>
      </ConfirmDialog>
    );
  const disabled = disabledAt === null;
  const verb = disabled ? 'Disable' : 'Enable';
  return (
    <ConfirmDialog
      title={`${verb} ${name}?`}
      action={`${verb} 1 operator`}
      isDestructive={disabled}
      onConfirm={async () => {
        await gateway.patch('/admin/v1/operators/{id}', { path, body: { disabled } });
        showToast(`${verb}d ${name}`);
        onChanged();
      }}
      onClose={onClose}
    >
      <p>
        {disabled
          ? 'They are signed out immediately and cannot sign in.'
          : 'They can sign in again.'}
      </p>
    </ConfirmDialog>
  );
};

const Operators = () => {
  const [asked, setAsked] = useState<Asked>();
  const read = useData('/admin/v1/operators', { query: { limit: 500 } });
  const close = () => setAsked(undefined);
  const operator = asked?.operator;
  return (
    <ListPage
      title="Operators"
      lead="People who can use this dashboard, and their roles."
      actions={
        <Button icon="plus" label="New operator" onClick={() => setAsked({ kind: 'edit' })} />
      }
      of={read}
      rows={({ operators }) => operators}
      isWhole
      caption="Operators"
      columns={columnsOf(setAsked)}
      lines={5}
      empty={{
        icon: 'shield',
        title: 'No operators yet',
        text: (
          <>
            Create an account for each person, so that the provisioning log shows who made a change.
            They sign in with a link, or through your identity provider if{' '}
            <code>operators.oidc</code> is configured.
          </>
        ),
      }}
    >
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
      {asked && asked.kind !== 'edit' && operator && (
        <OperatorDialog
          kind={asked.kind}
          operator={operator}
          onChanged={read.reload}
          onClose={close}
        />
      )}
    </ListPage>
  );
};

export default Operators;
