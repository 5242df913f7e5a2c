import { useState } from 'preact/hooks';
import { gateway, type OperatorRole, type Schema, useData, Button, Empty, Time } from '../ui.ts';
import { changesOf, isEmpty } from '../changes.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { ConfirmDialog, Dialog, DialogButton, FormDialog } from '../components/dialog.tsx';
import { CheckField, ChoiceCards, TextField, toggled, useFields } from '../components/fields.tsx';
import { ListPage } from '../components/list.tsx';
import { Menu, type MenuItem } from '../components/menu.tsx';
import { Async } from '../components/page.tsx';
import { LinkDialog } from '../components/shown-once.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { tenants } from '../tenants.ts';
import { attempt } from '../use-action.ts';
import { Passkeys } from './account.tsx';

type Operator = Schema<'Operator'>;

const ROLES: readonly (readonly [role: OperatorRole, title: string, may: string])[] = [
  ['owner', 'Owner', 'Full access, including operators, tenants and the admin token'],
  ['admin', 'Admin', 'Full access to tenants: keys, webhooks, role mappings and rooms'],
  ['operator', 'Operator', 'Daily work: users, members, SMS lists, deliveries and approvals'],
  ['auditor', 'Auditor', 'Read-only access'],
];

interface DialogProps {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

type OfOperator = DialogProps & { readonly operator: Operator };

const EditOperator = ({
  operator,
  onChanged,
  onClose,
  onSaved = onClose,
}: DialogProps & {
  /** Absent: a new one. */
  readonly operator?: Operator;
  /** Instead of closing. */
  readonly onSaved?: (saved: Operator) => void;
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
      onSubmit={async () => {
        const saved = operator
          ? await gateway.patch('/admin/v1/operators/{id}', {
              path: { id: operator.id },
              body: changes,
            })
          : await gateway.post('/admin/v1/operators', {
              body: { ...body, name: values.name.trim() },
            });
        showToast(`Saved ${saved.name}`);
        onChanged();
        onSaved(saved);
      }}
    >
      <TextField label="Name" required maxLength={256} {...field('name')} />
      <TextField label="Email (optional)" type="email" {...field('email')} />
      <ChoiceCards legend="Role" choices={ROLES} {...field('role')} />
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
            <CheckField
              key={slug}
              label={name.trim() || slug}
              value={bound.includes(slug)}
              onChange={() => field('bound').onChange([...toggled(bound, slug)])}
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
};

const Sessions = ({ operator, onClose }: OfOperator) => {
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

const SignInLink = ({ operator: { id, name }, onClose }: OfOperator) => (
  <LinkDialog
    title={`Sign-in link for ${name}`}
    what="the link"
    sending="Send this link over a secure channel. It works once and replaces earlier links."
    create={() => gateway.post('/admin/v1/operators/{id}/link', { path: { id } })}
    onClose={onClose}
  >
    <p>The link signs in {name} once, within 24 hours. You will see it only once.</p>
  </LinkDialog>
);

const DeleteOperator = ({ operator: { id, name }, onChanged, onClose }: OfOperator) => (
  <ConfirmDialog
    title={`Delete ${name}?`}
    action="Delete 1 operator"
    onConfirm={async () => {
      await gateway.delete('/admin/v1/operators/{id}', { path: { id } });
      showToast(`Deleted ${name}`);
      onChanged();
    }}
    onClose={onClose}
  >
    <p>They are signed out immediately. Their entries in the provisioning log are kept.</p>
  </ConfirmDialog>
);

const ChangeState = ({
  operator: { id, name, disabled_at: disabledAt },
  onChanged,
  onClose,
}: OfOperator) => {
  const disabled = disabledAt === null;
  const verb = disabled ? 'Disable' : 'Enable';
  return (
    <ConfirmDialog
      title={`${verb} ${name}?`}
      action={`${verb} 1 operator`}
      isDestructive={disabled}
      onConfirm={async () => {
        await gateway.patch('/admin/v1/operators/{id}', { path: { id }, body: { disabled } });
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

const actionsOf = (operator: Operator, onChanged: () => void): readonly MenuItem[] => {
  const of = (onClose: () => void) => ({ operator, onChanged, onClose });
  const ofLink: readonly MenuItem[] = [
    { label: 'Edit', dialog: (close) => <EditOperator {...of(close)} /> },
    { label: 'Sign-in link', dialog: (close) => <SignInLink {...of(close)} /> },
    {
      label: 'Passkeys',
      dialog: (close) => (
        <Dialog title={`Passkeys of ${operator.name}`} onClose={close} wide>
          <Passkeys operator={operator} />
        </Dialog>
      ),
    },
  ];
  return [
    // The identity provider has the others.
    ...(operator.source === 'link' ? ofLink : []),
    { label: 'Sessions', dialog: (close) => <Sessions {...of(close)} /> },
    {
      label: operator.disabled_at === null ? 'Disable' : 'Enable',
      dialog: (close) => <ChangeState {...of(close)} />,
    },
    { label: 'Delete', isDestructive: true, dialog: (close) => <DeleteOperator {...of(close)} /> },
  ];
};

const columnsOf = (onChanged: () => void): readonly Column<Operator>[] => [
  { title: 'Operator', cell: ({ name, email }) => <RowTitle title={name} detail={email} /> },
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
    cell: (operator) => (
      <Menu about={`Actions for ${operator.name}`} items={actionsOf(operator, onChanged)} />
    ),
  },
];

/** Creates an operator, and then the link by which they sign in first. */
const NewOperator = (dialog: DialogProps) => {
  const [created, setCreated] = useState<Operator>();
  return created ? (
    <SignInLink {...dialog} operator={created} />
  ) : (
    <EditOperator {...dialog} onSaved={setCreated} />
  );
};

const Operators = () => {
  const read = useData('/admin/v1/operators', { query: { limit: 500 } });
  return (
    <ListPage
      title="Operators"
      lead="People who can use this dashboard, and their roles."
      actions={
        <DialogButton icon="plus" label="New operator">
          {(close) => <NewOperator onChanged={read.reload} onClose={close} />}
        </DialogButton>
      }
      of={read}
      rows={({ operators }) => operators}
      isWhole
      caption="Operators"
      columns={columnsOf(read.reload)}
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
    />
  );
};

export default Operators;
