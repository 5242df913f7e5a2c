import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import type { StateWords } from './badges.tsx';
import type { Filter } from './filters.tsx';

type Command = Schema<'Command'>;
type Outcome = Command['outcome'];
type Words = readonly [done: string, undone: string];

/** The types of commands, as they read when done, and before. */
const WORDS = {
  'user.create': ['Created user', 'Create user'],
  'user.replace': ['Updated user', 'Update user'],
  'user.patch': ['Updated user', 'Update user'],
  'user.update': ['Updated user', 'Update user'],
  'user.deactivate': ['Deactivated user', 'Deactivate user'],
  'user.delete': ['Deleted user', 'Delete user'],
  'room.create': ['Created room', 'Create room'],
  'room.rename': ['Renamed room', 'Rename room'],
  'room.delete': ['Deleted room', 'Delete room'],
  'room.map': ['Mapped room', 'Map room'],
  'room.unmap': ['Unmapped room', 'Unmap room'],
  'member.add': ['Added a member to', 'Add a member to'],
  'member.update': ['Changed a member of', 'Change a member of'],
  'member.remove': ['Removed a member of', 'Remove a member of'],
  'member.sync': ['Replaced the members of', 'Replace the members of'],
  'group.create': ['Created group', 'Create group'],
  'group.change': ['Changed group', 'Change group'],
  'group.delete': ['Deleted group', 'Delete group'],
  'role-mapping.create': ['Created role mapping', 'Create role mapping'],
  'role-mapping.update': ['Changed role mapping', 'Change role mapping'],
  'role-mapping.delete': ['Deleted role mapping', 'Delete role mapping'],
  'sms-list.create': ['Created SMS list', 'Create SMS list'],
  'sms-list.update': ['Changed SMS list', 'Change SMS list'],
  'sms-list.delete': ['Deleted SMS list', 'Delete SMS list'],
  'sms-member.upsert': ['Added recipients to', 'Add recipients to'],
  'sms-member.replace': ['Replaced the recipients of', 'Replace the recipients of'],
  'sms-member.remove': ['Removed a recipient of', 'Remove a recipient of'],
  'sms-member.remove-by-number': ['Removed recipients of', 'Remove recipients of'],
  'sms-member.sweep': ['Removed expired recipients of', 'Remove expired recipients of'],
  'job.step': ['Continued', 'Continue'],
  'tenant.create': ['Created tenant', 'Create tenant'],
  'tenant.update': ['Changed tenant', 'Change tenant'],
  'tenant.delete': ['Deleted tenant', 'Delete tenant'],
  'api-key.create': ['Created API key', 'Create API key'],
  'api-key.delete': ['Deleted API key', 'Delete API key'],
  'api-key.allow-removals': ['Allowed removals by', 'Allow removals by'],
  'plugin.change': ['Changed', 'Change'],
} as const satisfies Readonly<Record<Command['type'], Words>>;

export const COMMAND_TYPES = Object.keys(WORDS) as readonly Command['type'][];

/** `Deactivated user`, or `Deactivate user` if it was refused or failed. */
export const verbOf = (command: Pick<Command, 'type' | 'outcome' | 'changes'>): string => {
  // During an upgrade, another gateway may return types that this page lacks.
  const known: Readonly<Record<string, Words>> = WORDS;
  const [done, undone] = known[command.type] ?? [command.type, command.type];
  const isDone = command.outcome === 'applied';
  const active = command.changes.find(({ path }) => path === 'active');
  // Null: the user was created or deleted.
  if (isDone && typeof active?.before === 'boolean' && typeof active.after === 'boolean')
    return active.after ? 'Reactivated user' : 'Deactivated user';
  return isDone || command.outcome === 'no-op' ? done : undone;
};

export const OUTCOME_STATES: Readonly<Record<Outcome, StateWords>> = {
  applied: ['good', 'Applied'],
  'no-op': ['neutral', 'Unchanged'],
  refused: ['warning', 'Refused'],
  failed: ['bad', 'Failed'],
};

export const OUTCOMES = Object.keys(OUTCOME_STATES) as readonly Outcome[];

const SOURCES: readonly (readonly [value: Command['source'], title: string])[] = [
  ['scim', 'SCIM'],
  ['rest', 'REST API'],
  ['connector', 'Connector'],
  ['dashboard', 'Dashboard'],
  ['cli', 'Command line'],
  ['admin', 'Admin API'],
  ['system', 'System'],
];

export const SOURCE_NAMES = SOURCES.map(([source]) => source);

export const sourceTitle = (source: string): string =>
  SOURCES.find(([value]) => value === source)?.[1] ?? source;

export const COMMAND_FILTERS: readonly Filter<'outcome' | 'source' | 'type'>[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    all: 'All outcomes',
    choices: OUTCOMES.map((outcome) => [outcome, OUTCOME_STATES[outcome][1]] as const),
  },
  { name: 'source', label: 'Source', all: 'All sources', choices: SOURCES },
  { name: 'type', label: 'Type', all: 'All types', choices: COMMAND_TYPES },
];

export const nameOf = ({ name, id, kind }: Schema<'LoggedObject'>): string => name ?? id ?? kind;

/** The page of an object; undefined: it has none. */
export const pageOf = (slug: string, { kind, id }: Schema<'LoggedObject'>): string | undefined => {
  const base = `/t/${slug}`;
  if (kind === 'role-mapping') return `${base}/admin/security/sso/directory-roles`;
  if (kind === 'api-key') return `${base}/settings/api-keys`;
  if (id === null) return undefined;
  if (kind === 'user') return `${base}/users/${id}`;
  if (kind === 'room') return `${base}/rooms/${id}`;
  return kind === 'sms-list' ? `${base}/sms-lists/${id}` : undefined;
};

/** What a command did, in a row that opens its page. */
export const CommandLink = ({ slug, of }: { readonly slug: string; readonly of: Command }) => (
  <Link class="row-link" href={`/t/${slug}/log/${of.id}`}>
    {verbOf(of)} {of.subject && <strong>{nameOf(of.subject)}</strong>}
  </Link>
);
