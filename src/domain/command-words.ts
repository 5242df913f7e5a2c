import { capitalise } from './kernel/in-words.js';
import type { JsonValue } from './kernel/json.js';
import type { CommandType } from './commands.js';

type Verb = readonly [past: string, infinitive: string];
type LoggedType = Exclude<CommandType, 'bulk'>;

const CREATE: Verb = ['created', 'create'];
const CHANGE: Verb = ['changed', 'change'];
const DELETE: Verb = ['deleted', 'delete'];

/** What each type of command does to its subject. */
const VERBS: Readonly<Record<LoggedType, Verb>> = {
  'user.create': CREATE,
  'user.replace': CHANGE,
  'user.patch': CHANGE,
  'user.update': CHANGE,
  'user.deactivate': ['deactivated', 'deactivate'],
  'user.delete': DELETE,
  'room.create': CREATE,
  'room.rename': ['renamed', 'rename'],
  'room.delete': DELETE,
  'room.map': ['mapped', 'map'],
  'room.unmap': ['unmapped', 'unmap'],
  'member.add': ['added a member to', 'add a member to'],
  'member.update': ['changed a member of', 'change a member of'],
  'member.remove': ['removed a member from', 'remove a member from'],
  'member.sync': ['replaced the members of', 'replace the members of'],
  'group.create': CREATE,
  'group.change': CHANGE,
  'group.delete': DELETE,
  'role-mapping.create': CREATE,
  'role-mapping.update': CHANGE,
  'role-mapping.delete': DELETE,
  'sms-list.create': CREATE,
  'sms-list.update': CHANGE,
  'sms-list.delete': DELETE,
  'sms-member.upsert': ['added recipients to', 'add recipients to'],
  'sms-member.replace': ['replaced the recipients of', 'replace the recipients of'],
  'sms-member.remove': ['removed a recipient from', 'remove a recipient from'],
  'sms-member.remove-by-number': ['removed recipients from', 'remove recipients from'],
  'sms-member.sweep': ['removed expired recipients from', 'remove expired recipients from'],
  'job.step': ['continued a change of', 'continue a change of'],
  'tenant.create': CREATE,
  'tenant.update': CHANGE,
  'tenant.delete': DELETE,
  'api-key.create': CREATE,
  'api-key.delete': DELETE,
  'api-key.allow-removals': ['allowed removals by', 'allow removals by'],
  'plugin.change': CHANGE,
};

export const COMMAND_TYPES = Object.keys(VERBS) as readonly LoggedType[];

/** What a type is about, if its name does not say it. */
const SUBJECTS: Readonly<Record<string, string>> = {
  member: 'room',
  'sms-member': 'SMS list',
  job: 'room or group',
  plugin: 'record of a plugin',
};

/** `Create a user (user.create)`, in a list of types. */
export const typeTitles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    COMMAND_TYPES.map((type) => {
      const [family = ''] = type.split('.');
      const subject = SUBJECTS[family] ?? kindInWords(family.replace('-', '_'));
      const article = /^(?:API|SMS)/.test(subject) ? 'an' : 'a';
      return [type, `${capitalise(VERBS[type][1])} ${article} ${subject} (${type})`];
    }),
  );

interface Logged {
  readonly type: CommandType;
  readonly changes: readonly {
    readonly path: string;
    readonly before?: JsonValue | undefined;
    readonly after?: JsonValue | undefined;
  }[];
}

/** Of a record of a plugin: secrets are logged without their values. */
const verbOfRecord = (changes: Logged['changes']): Verb => {
  const [first, ...others] = changes;
  if (first?.path === 'secret' && others.length === 0)
    return ['rotated the secret of', 'rotate the secret of'];
  const shown = changes.filter(({ before, after }) => before !== undefined || after !== undefined);
  if (shown.length === 0) return CHANGE;
  if (shown.every(({ before }) => before === null)) return CREATE;
  return shown.every(({ after }) => after === null) ? DELETE : CHANGE;
};

export const verbOf = ({ type, changes }: Logged): Verb => {
  const active = changes.find(({ path }) => path === 'active');
  // Null: the user was created or deleted.
  if (typeof active?.before === 'boolean' && typeof active.after === 'boolean')
    return active.after ? ['reactivated', 'reactivate'] : ['deactivated', 'deactivate'];
  if (type === 'plugin.change') return verbOfRecord(changes);
  return type === 'bulk' ? CHANGE : VERBS[type];
};

const KINDS: Readonly<Record<string, string>> = {
  role_mapping: 'role mapping',
  sms_list: 'SMS list',
  api_key: 'API key',
};

/** `role mapping` */
export const kindInWords = (kind: string): string => KINDS[kind] ?? kind;

/** `Created user`, or `Create user` if it was refused or failed; the name of its subject follows. */
export const titleOf = (
  command: Logged & {
    readonly outcome: string;
    readonly subject: { readonly kind: string } | null;
  },
): string => {
  const { outcome, subject } = command;
  const [past, infinitive] = verbOf(command);
  const verb = capitalise(outcome === 'applied' || outcome === 'no-op' ? past : infinitive);
  return subject === null || verb.includes(' ') ? verb : `${verb} ${kindInWords(subject.kind)}`;
};
