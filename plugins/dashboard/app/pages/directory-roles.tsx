import { useState } from 'preact/hooks';
import { type CallArguments, type PathsWith, RollgateError } from 'rollgate/client';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Icon } from '../components/icon.tsx';
import { Impact, impactText } from '../components/impact.tsx';
import { Note } from '../components/note.tsx';
import { Page, Section } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';

type RoleMapping = Schema<'RoleMapping'>;
type RoleTest = Schema<'RoleTest'>;

/** A change of the mappings that can be previewed. */
interface Write {
  readonly preview: () => Promise<Schema<'DryRun'>>;
  readonly save: () => Promise<unknown>;
}

const writeOf = <V extends 'post' | 'patch' | 'delete', P extends PathsWith<V>>(
  verb: V,
  path: P,
  ...options: CallArguments<P, V>
): Write => ({
  preview: () => gateway.preview(verb, path, ...options),
  save: () => gateway.request(verb, path, ...options),
});

const refusalOf = ({ status, body }: Schema<'DryRun'>): ApiError | undefined => {
  if (status < 400) return undefined;
  const { error: code, message } = body as Schema<'Error'>;
  return new RollgateError({ status, code, message });
};

/** Shows what a write would do, and then does it. */
const PreviewedWrite = ({
  slug,
  write,
  action,
  isDestructive = false,
  onDone,
  onCancel,
}: {
  readonly slug: string;
  readonly write: Write;
  /** "Delete the mapping of Dispatch" */
  readonly action: string;
  readonly isDestructive?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) => {
  const [preview, setPreview] = useState<Schema<'DryRun'>>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };
  const look = () =>
    run(async () => {
      const result = await write.preview();
      const refusal = refusalOf(result);
      if (refusal) setError(refusal);
      else setPreview(result);
    });
  const save = () =>
    run(async () => {
      await write.save();
      onDone();
    });
  const impact = preview && impactText(preview);
  return (
    <>
      {preview && <Impact slug={slug} of={preview} />}
      {error && <ErrorNote error={error} />}
      <footer>
        <button type="button" class="secondary" onClick={onCancel}>
          Cancel
        </button>
        {preview ? (
          <button
            type="button"
            class={isDestructive ? 'danger' : ''}
            aria-busy={isBusy}
            disabled={isBusy}
            onClick={() => void save()}
          >
            {impact === undefined ? action : `${action}: ${impact}`}
          </button>
        ) : (
          <button type="button" aria-busy={isBusy} disabled={isBusy} onClick={() => void look()}>
            Preview
          </button>
        )}
      </footer>
    </>
  );
};

const PRIORITY_STEP = 10;

const EditMapping = ({
  slug,
  mapping,
  last,
  onClose,
  onDone,
}: {
  readonly slug: string;
  readonly mapping: RoleMapping | undefined;
  /** The highest priority so far. */
  readonly last: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) => {
  const [group, setGroup] = useState(mapping?.group_display_name ?? '');
  const [role, setRole] = useState(mapping?.role ?? '');
  const [priority, setPriority] = useState(String(mapping?.priority ?? last + PRIORITY_STEP));
  const [applies, setApplies] = useState(mapping?.apply_on_scim_provisioning ?? true);
  const groups = useData('/admin/v1/tenants/{slug}/groups', {
    path: { slug },
    query: { limit: 200 },
  });
  const body = {
    group_display_name: group.trim(),
    role: role.trim(),
    priority: Number(priority),
    apply_on_scim_provisioning: applies,
  };
  const write = mapping
    ? writeOf('patch', '/admin/v1/tenants/{slug}/role-mappings/{id}', {
        path: { slug, id: mapping.id },
        body,
      })
    : writeOf('post', '/admin/v1/tenants/{slug}/role-mappings', { path: { slug }, body });
  return (
    <Dialog
      title={mapping ? `Edit the mapping of ${mapping.group_display_name}` : 'New role mapping'}
      onClose={onClose}
    >
      <label>
        Group in the identity provider
        <input
          type="text"
          list="groups"
          autoComplete="off"
          required
          maxLength={256}
          value={group}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        <small>Its display name. The group does not have to exist yet.</small>
        <datalist id="groups">
          {groups.data?.groups.map(({ display_name: name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label>
        Role of its members
        <input
          type="text"
          autoComplete="off"
          required
          maxLength={64}
          value={role}
          onInput={(event) => setRole(event.currentTarget.value)}
        />
      </label>
      <label>
        Priority
        <input
          type="number"
          min={0}
          max={1_000_000}
          required
          value={priority}
          onInput={(event) => setPriority(event.currentTarget.value)}
        />
        <small>If a user is in several mapped groups, the lowest number wins.</small>
      </label>
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={applies}
          onChange={(event) => setApplies(event.currentTarget.checked)}
        />
        Apply on SCIM provisioning
      </label>
      <PreviewedWrite
        key={JSON.stringify(body)}
        slug={slug}
        write={write}
        action="Save"
        onCancel={onClose}
        onDone={() => {
          showToast(`Saved the mapping of ${body.group_display_name}`);
          onDone();
        }}
      />
    </Dialog>
  );
};

/** The priority between a row and the one before it; undefined: no number is free. */
const priorityBefore = (rows: readonly RoleMapping[], at: number): number | undefined => {
  const next = rows[at]?.priority;
  const previous = at === 0 ? undefined : rows[at - 1]?.priority;
  if (next === undefined) return previous === undefined ? undefined : previous + PRIORITY_STEP;
  const wanted =
    previous === undefined ? Math.max(0, next - PRIORITY_STEP) : Math.floor((previous + next) / 2);
  return wanted < next && (previous === undefined || wanted > previous) ? wanted : undefined;
};

interface Asked {
  readonly kind: 'edit' | 'delete' | 'move';
  readonly mapping?: RoleMapping;
  readonly priority?: number;
}

const columnsOf = (
  rows: readonly RoleMapping[],
  ask: (asked: Asked) => void,
): readonly Column<RoleMapping>[] => [
  {
    title: 'Group',
    cell: (mapping) => (
      <span>
        <span class="order">{rows.indexOf(mapping) + 1}</span>
        <strong>{mapping.group_display_name}</strong>
      </span>
    ),
  },
  { title: 'Role', cell: ({ role }) => <Badge tone="accent">{role}</Badge> },
  { title: 'Priority', kind: 'figure', cell: ({ priority }) => priority },
  {
    title: 'Source',
    isMinor: true,
    cell: ({ source }) => source.toUpperCase(),
  },
  {
    title: 'SCIM provisioning',
    cell: ({ apply_on_scim_provisioning: applies }) => (
      <Badge tone={applies ? 'good' : 'neutral'}>{applies ? 'Applies' : 'Off'}</Badge>
    ),
  },
  ...(hasRole('admin')
    ? [
        {
          title: 'Actions',
          kind: 'actions' as const,
          cell: (mapping: RoleMapping) => {
            const at = rows.indexOf(mapping);
            const name = mapping.group_display_name;
            const up = at === 0 ? undefined : priorityBefore(rows, at - 1);
            const down = at === rows.length - 1 ? undefined : priorityBefore(rows, at + 2);
            return (
              <span class="row-actions">
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Move ${name} up`}
                  disabled={up === undefined}
                  onClick={() =>
                    ask({ kind: 'move', mapping, ...(up !== undefined && { priority: up }) })
                  }
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Move ${name} down`}
                  disabled={down === undefined}
                  onClick={() =>
                    ask({ kind: 'move', mapping, ...(down !== undefined && { priority: down }) })
                  }
                >
                  <Icon name="down" />
                </button>
                <button
                  type="button"
                  class="secondary small"
                  aria-label={`Edit the mapping of ${name}`}
                  onClick={() => ask({ kind: 'edit', mapping })}
                >
                  Edit
                </button>
                <button
                  type="button"
                  class="secondary small"
                  aria-label={`Delete the mapping of ${name}`}
                  onClick={() => ask({ kind: 'delete', mapping })}
                >
                  Delete
                </button>
              </span>
            );
          },
        },
      ]
    : []),
];

const EXAMPLE_USER = `{
  "userName": "ada@example.com",
  "displayName": "Ada Lovelace"
}`;

/** Throws unless the text is a JSON object. */
const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new SyntaxError('The text is not a JSON object.');
};

const TestResult = ({ of }: { readonly of: RoleTest }) => (
  <div class="explanation" aria-live="polite">
    <p class="explanation-question">Resulting role</p>
    <p class="explanation-answer">
      {of.role}
      {of.matches.every(({ applies }) => !applies) && (
        <span class="quiet">the default role, because no mapping applies</span>
      )}
    </p>
    {of.matches.length > 0 && (
      <>
        <h3>Matching mappings</h3>
        <ul class="facts">
          {of.matches.map(({ id, group_display_name: group, role, priority, applies, reason }) => (
            <li key={id}>
              <span class={applies ? 'mark mark-good' : 'mark'}>
                <Icon name={applies ? 'check' : 'minus'} />
              </span>
              <div>
                <strong>{group}</strong> gives {role} with priority {priority}
                <small>{reason}</small>
              </div>
            </li>
          ))}
        </ul>
      </>
    )}
    <h3>Rooms</h3>
    {of.rooms.length === 0 ? (
      <p class="quiet">None of these groups is mapped to a room.</p>
    ) : (
      <p>{of.rooms.map(({ name }) => name).join(', ')}</p>
    )}
    <h3>Groups</h3>
    <ul class="facts">
      {of.groups.map(({ display_name: name, exists, room }) => (
        <li key={name}>
          <span class={exists ? 'mark mark-good' : 'mark mark-bad'}>
            <Icon name={exists ? 'check' : 'close'} />
          </span>
          <div>
            {name}
            <small>
              {exists
                ? (room?.name ?? 'Not mapped to a room')
                : 'Not pushed by the identity provider yet'}
            </small>
          </div>
        </li>
      ))}
    </ul>
  </div>
);

const TestBench = ({ slug }: { readonly slug: string }) => {
  const [user, setUser] = useState('');
  const [groups, setGroups] = useState('');
  const [result, setResult] = useState<RoleTest>();
  const [error, setError] = useState<ApiError>();
  const [fault, setFault] = useState<string>();
  const test = async () => {
    setError(undefined);
    setFault(undefined);
    let parsed: Readonly<Record<string, unknown>> | undefined;
    try {
      parsed = user.trim() === '' ? undefined : objectIn(user);
    } catch (problem) {
      setFault(`Enter a SCIM user as a JSON object. ${String(problem)}`);
      return;
    }
    const names = groups
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    try {
      setResult(
        await gateway.post('/admin/v1/tenants/{slug}/role-mappings/test', {
          path: { slug },
          body: { ...(parsed !== undefined && { user: parsed }), groups: names },
        }),
      );
    } catch (problem) {
      setError(asApiError(problem));
    }
  };
  return (
    <Section
      title="Test role mappings"
      lead="Preview the role and the rooms of a user in these groups. Nothing is changed."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void test();
        }}
      >
        <div class="field-row">
          <label>
            Groups (one per line)
            <textarea
              required
              placeholder={'Dispatch\nShift leads'}
              value={groups}
              onInput={(event) => setGroups(event.currentTarget.value)}
            />
          </label>
          <label>
            SCIM user as JSON (optional)
            <textarea
              spellcheck={false}
              placeholder={EXAMPLE_USER}
              value={user}
              onInput={(event) => setUser(event.currentTarget.value)}
            />
          </label>
        </div>
        {fault !== undefined && (
          <Note tone="bad">
            <p>{fault}</p>
          </Note>
        )}
        {error && <ErrorNote error={error} />}
        <button type="submit" class="secondary">
          Test
        </button>
      </form>
      {result && <TestResult of={result} />}
    </Section>
  );
};

const DirectoryRoles = ({ slug }: PageProps) => {
  const [asked, setAsked] = useState<Asked>();
  const tenant = useData('/admin/v1/tenants/{slug}', { path: { slug } });
  const mappings = useData('/admin/v1/tenants/{slug}/role-mappings', {
    path: { slug },
    query: { limit: 500 },
  });
  const rows = [...(mappings.data?.role_mappings ?? [])].sort(
    (one, other) => one.priority - other.priority || one.created_at.localeCompare(other.created_at),
  );
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    mappings.reload();
  };
  const mapping = asked?.mapping;
  return (
    <Page
      title="Directory roles"
      lead="Assign roles to users by their groups in the identity provider."
      actions={
        hasRole('admin') && (
          <button type="button" onClick={() => setAsked({ kind: 'edit' })}>
            <Icon name="plus" />
            New mapping
          </button>
        )
      }
    >
      <Async of={mappings} lines={5}>
        {() =>
          rows.length === 0 ? (
            <Empty icon="shield" title="No role mappings yet">
              <p>
                {`All users have the default role "${tenant.data?.default_role ?? '…'}". Add a mapping to assign another role to the members of a group.`}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Role mappings, in the order in which they win"
                columns={columnsOf(rows, setAsked)}
                rows={rows}
                keyOf={({ id }) => id}
              />
              <p class="table-note">
                {`If several groups match, the first mapping in this list wins. Other users get the default role, "${tenant.data?.default_role ?? '…'}".`}
              </p>
            </>
          )
        }
      </Async>
      <TestBench slug={slug} />
      {asked?.kind === 'edit' && (
        <EditMapping
          slug={slug}
          mapping={mapping}
          last={rows.at(-1)?.priority ?? 0}
          onClose={close}
          onDone={done}
        />
      )}
      {asked?.kind === 'delete' && mapping && (
        <Dialog title={`Delete the mapping of ${mapping.group_display_name}?`} onClose={close}>
          <p>
            Members of this group get the role of the next mapping that matches, or the default
            role.
          </p>
          <PreviewedWrite
            slug={slug}
            write={writeOf('delete', '/admin/v1/tenants/{slug}/role-mappings/{id}', {
              path: { slug, id: mapping.id },
            })}
            action="Delete 1 mapping"
            isDestructive
            onCancel={close}
            onDone={() => {
              showToast(`Deleted the mapping of ${mapping.group_display_name}`);
              done();
            }}
          />
        </Dialog>
      )}
      {asked?.kind === 'move' && mapping && (
        <Dialog title={`Move ${mapping.group_display_name}?`} onClose={close}>
          <p>
            {`Its priority changes from ${mapping.priority} to ${asked.priority ?? mapping.priority}.`}
          </p>
          <PreviewedWrite
            slug={slug}
            write={writeOf('patch', '/admin/v1/tenants/{slug}/role-mappings/{id}', {
              path: { slug, id: mapping.id },
              body: { priority: asked.priority ?? mapping.priority },
            })}
            action="Move"
            onCancel={close}
            onDone={() => {
              showToast(`Moved ${mapping.group_display_name}`);
              done();
            }}
          />
        </Dialog>
      )}
    </Page>
  );
};

export default DirectoryRoles;
