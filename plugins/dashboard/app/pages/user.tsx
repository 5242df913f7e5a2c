import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import {
  gateway,
  type Schema,
  useData,
  Button,
  Empty,
  Time,
  hasRole,
  isSetupSession,
} from '../ui.ts';
import { ActiveBadge, Badge } from '../components/badges.tsx';
import { Copyable, ExternalId } from '../components/copy.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { Explanation } from '../components/explanation.tsx';
import { Icon } from '../components/icon.tsx';
import { Async, Details, Facts, Page, PendingPage, Section } from '../components/page.tsx';
import { History } from '../components/timeline.tsx';
import { showToast } from '../components/toasts.tsx';
import { UserFormButton } from '../components/user-form.tsx';
import { WhyInRoom } from '../components/why-in-room.tsx';
import type { PageProps } from '../page-route.ts';
import { USER_TEXTS } from '../user-texts.ts';

interface OfUser {
  readonly slug: string;
  readonly user: Schema<'User'>;
  readonly onChanged: () => void;
}

const WhyThisRole = ({ slug, user, onChanged }: OfUser) => {
  const [{ why }, change] = useParams('why');
  const isOpen = why === 'role';
  const explained = useData(
    '/admin/v1/tenants/{slug}/explain',
    isOpen ? { path: { slug }, query: { user: user.id, role: 'true' } } : null,
  );
  return (
    <Section
      title="Role"
      lead={<Badge tone="accent">{user.role}</Badge>}
      actions={
        <Button
          label={isOpen ? 'Close' : 'Why this role?'}
          class="secondary small"
          aria-expanded={isOpen}
          onClick={() => change({ why: isOpen ? '' : 'role' })}
        />
      }
    >
      {isOpen && (
        <Async of={explained} lines={3}>
          {(explanation) => <Explanation slug={slug} of={explanation} onChanged={onChanged} />}
        </Async>
      )}
    </Section>
  );
};

const Rooms = ({ slug, user }: Omit<OfUser, 'onChanged'>) => {
  const rooms = useData('/admin/v1/tenants/{slug}/users/{id}/rooms', {
    path: { slug, id: user.id },
  });
  return (
    <Section title="Rooms" flush>
      <Async of={rooms} lines={2}>
        {({ rooms: list, total }) =>
          list.length === 0 ? (
            <Empty
              icon="room"
              title="No rooms"
              text="Room members usually come from groups in the identity provider."
            />
          ) : (
            <ul class="rows">
              {list.map(({ id, name, tx_permission: canSend }) => (
                <li key={id}>
                  <Icon name="room" />
                  <Link class="row-link" href={`/t/${slug}/rooms/${id}`}>
                    {name}
                  </Link>
                  <Badge tone={canSend ? 'accent' : 'neutral'}>
                    {canSend ? 'Can transmit' : 'Listen only'}
                  </Badge>
                </li>
              ))}
              {total > list.length && <li class="quiet">{`and ${total - list.length} more`}</li>}
            </ul>
          )
        }
      </Async>
    </Section>
  );
};

/** What the details show. */
const IN_DETAILS = new Set(['userName', 'externalId', 'active']);

/** `enterprise.department` with its text, which may break after dots; the parts of an item of a list in one. */
const factsOf = (value: unknown, path = ''): readonly (readonly [string, string])[] => {
  if (Array.isArray(value)) {
    const items = value.map((item) =>
      factsOf(item).flatMap(([name, text]) => (name === 'primary' ? [] : [text])),
    );
    return [[path, items.map((parts) => parts.join(' ')).join(', ')]];
  }
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([name, inner]) =>
    factsOf(inner, path === '' ? name : `${path}.\u200b${name}`),
  );
};

const Profile = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/users/{id}/profile', { path: { slug, id } });
  return (
    <Section title="Profile" lead="As the source of the user sent it.">
      <Async of={read} lines={3}>
        {({ profile }) => (
          <Facts of={factsOf(profile).filter(([name, text]) => !IN_DETAILS.has(name) && text)} />
        )}
      </Async>
    </Section>
  );
};

const ChangeState = ({ slug, user, onChanged }: OfUser) => {
  const verb = user.active ? 'Deactivate' : 'Reactivate';
  const change = async () => {
    await gateway.patch('/admin/v1/tenants/{slug}/users/{id}', {
      path: { slug, id: user.id },
      body: { active: !user.active },
    });
    showToast(`${verb}d ${user.display_name}`);
    onChanged();
  };
  return (
    <ConfirmButton
      label={verb}
      look={user.active ? 'secondary danger-text' : 'secondary'}
      title={`${verb} ${user.display_name}?`}
      action={`${verb} 1 user`}
      isDestructive={user.active}
      onConfirm={change}
    >
      <p>
        {user.active
          ? 'The user can no longer sign in, and their seat becomes available. Rooms and role are kept.'
          : 'The user can sign in again and takes a seat.'}
      </p>
      <p class="quiet">
        Your identity provider may revert this at its next synchronisation. Change the user there as
        well.
      </p>
    </ConfirmButton>
  );
};

const UserPage = ({ slug, id }: PageProps) => {
  const [changed, setChanged] = useState(0);
  const read = useData('/admin/v1/tenants/{slug}/users/{id}', { path: { slug, id } });
  const up = { href: `/t/${slug}/users`, title: 'Users' };
  if (!read.data) return <PendingPage of={read} kind="User" up={up} />;
  const user = read.data;
  const onChanged = () => {
    read.reload();
    setChanged(changed + 1);
  };
  return (
    <Page
      title={user.display_name}
      up={up}
      lead={
        <>
          {user.email ?? user.user_name}
          <ActiveBadge active={user.active} />
          <Badge tone="accent">{user.role}</Badge>
        </>
      }
      actions={
        hasRole('operator') && (
          <>
            <UserFormButton slug={slug} user={user} onSaved={onChanged} />
            <ChangeState slug={slug} user={user} onChanged={read.reload} />
          </>
        )
      }
    >
      <div class="columns">
        <div>
          <WhyInRoom slug={slug} page="user" id={id} onChanged={onChanged} />
          <WhyThisRole
            key={`${user.updated_at} ${changed}`}
            slug={slug}
            user={user}
            onChanged={onChanged}
          />
          {!isSetupSession() && (
            <History
              key={`${user.updated_at} ${changed}`}
              slug={slug}
              about={{ kind: 'user', id: user.id }}
              lead="Changes to this user, their rooms and their role."
            />
          )}
        </div>
        <div>
          {!isSetupSession() && (
            <>
              <Profile key={`profile ${user.updated_at} ${changed}`} slug={slug} id={id} />
              <Rooms key={changed} slug={slug} user={user} />
            </>
          )}
          <Details
            of={[
              ['Username', user.user_name],
              ['Email', user.email ?? <span class="quiet">none</span>],
              ...USER_TEXTS.map(
                ([name, title]) => [title, <ExternalId key={name} of={user[name]} />] as const,
              ),
              ['Seat', user.active ? 'Taken' : 'None'],
              ['Created', <Time key="c" at={user.created_at} form="absolute" />],
              ['Updated', <Time key="u" at={user.updated_at} form="absolute" />],
              ['ID', <Copyable key="i" text={user.id} what="the user ID" />],
            ]}
          />
        </div>
      </div>
    </Page>
  );
};

export default UserPage;
