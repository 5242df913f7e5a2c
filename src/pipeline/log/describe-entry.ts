import type { CommandLogEntry } from '../commit-store.js';

type Verb = readonly [past: string, infinitive: string];

/** By type, or by what its last word says of all other types. */
const VERBS: Readonly<Record<string, Verb>> = {
  create: ['created', 'create'],
  delete: ['deleted', 'delete'],
  deactivate: ['deactivated', 'deactivate'],
  rename: ['renamed', 'rename'],
  map: ['mapped', 'map'],
  unmap: ['unmapped', 'unmap'],
  step: ['continued a change of', 'continue a change of'],
  'allow-removals': ['allowed removals by', 'allow removals by'],
  'member.add': ['added a member to', 'add a member to'],
  'member.update': ['changed a member of', 'change a member of'],
  'member.remove': ['removed a member from', 'remove a member from'],
  'member.sync': ['replaced the members of', 'replace the members of'],
  'sms-member.upsert': ['added recipients to', 'add recipients to'],
  'sms-member.replace': ['replaced the recipients of', 'replace the recipients of'],
  'sms-member.remove': ['removed a recipient from', 'remove a recipient from'],
  'sms-member.remove-by-number': ['removed recipients from', 'remove recipients from'],
  'sms-member.sweep': ['removed expired recipients from', 'remove expired recipients from'],
};
const CHANGE: Verb = ['changed', 'change'];

const verbOf = ({ type, changes }: CommandLogEntry): Verb => {
  const active = changes.find(({ path }) => path === 'active');
  // Null: the user was created or deleted.
  if (typeof active?.before === 'boolean' && typeof active.after === 'boolean')
    return active.after ? ['reactivated', 'reactivate'] : ['deactivated', 'deactivate'];
  return VERBS[type] ?? VERBS[type.slice(type.indexOf('.') + 1)] ?? CHANGE;
};

const KINDS: Readonly<Record<string, string>> = {
  role_mapping: 'role mapping of the group',
  sms_list: 'SMS list',
  api_key: 'API key',
};

/** `the group "Dispatch"`; without an id: those are for programs. */
const subjectOf = ({ subject }: CommandLogEntry): string => {
  if (!subject) return 'something';
  const kind = KINDS[subject.kind] ?? subject.kind;
  return subject.name === null ? `a ${kind}` : `the ${kind} "${subject.name}"`;
};

/** `create the user "ada@example.com"` */
export const taskOf = (entry: CommandLogEntry): string => `${verbOf(entry)[1]} ${subjectOf(entry)}`;

const INTERFACES: Readonly<Record<CommandLogEntry['source'], string>> = {
  scim: ' over SCIM',
  rest: ' over the REST API',
  admin: " over the operators' API",
  cli: ' on the command line',
  dashboard: ' in the dashboard',
  connector: '',
  system: '',
};

const interfaceOf = ({ source }: CommandLogEntry): string => INTERFACES[source];

/** `the API key "Okta"` */
const actorOf = ({ actor, actorName, source }: CommandLogEntry): string => {
  if (source === 'system') return 'the gateway';
  const [kind, rest] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  const name = actorName ?? rest;
  if (kind === 'operator') return name === 'admin-token' ? 'the admin token' : `operator ${name}`;
  return `the ${kind === 'api-key' ? 'API key' : kind} "${name}"`;
};

/** `added the user to the group "Dispatch"`; undefined: it did not change that membership, or not alone. */
const memberChangeIn = (entry: CommandLogEntry, userId: string): string | undefined => {
  const path = `members[${userId}].tx_permission`;
  const change = entry.changes.find((one) => one.path.endsWith(path));
  if (!change || entry.subject?.kind === 'user') return undefined;
  if (change.before === null) return `added the user to ${subjectOf(entry)}`;
  if (change.after === null) return `removed the user from ${subjectOf(entry)}`;
  return `${change.after === true ? 'let the user transmit' : 'stopped the user from transmitting'} in ${subjectOf(entry)}`;
};

/** `by the API key "Okta" over SCIM` */
export const authorOf = (entry: CommandLogEntry): string =>
  `by ${actorOf(entry)}${interfaceOf(entry)}`;

/** A last sentence for clients: the reader of the log is the operator. */
const TO_CLIENT = /\s[^."]*\bask your operator\b[^.]*\.$/i;

const isRefused = ({ outcome }: CommandLogEntry): boolean =>
  outcome === 'refused' || outcome === 'failed';

/** `the API key "Okta" created the group "Dispatch" over SCIM`, or what it tried and why it was refused. */
export const describeEntry = (
  entry: CommandLogEntry,
  /** What it did to this member is said rather than what it did to the group. */
  userId = '',
): string => {
  const [past] = verbOf(entry);
  const { refusal } = entry;
  if (!isRefused(entry)) {
    const ofMember = memberChangeIn(entry, userId);
    if (ofMember !== undefined) return `${actorOf(entry)} ${ofMember}${interfaceOf(entry)}`;
    const result = entry.outcome === 'no-op' ? ', which changed nothing' : '';
    return `${actorOf(entry)} ${past} ${subjectOf(entry)}${interfaceOf(entry)}${result}`;
  }
  const why = refusal
    ? ` (${refusal.code}): ${refusal.message.replace(TO_CLIENT, '').replace(/\.$/, '')}`
    : '';
  return `${actorOf(entry)} tried to ${taskOf(entry)}${interfaceOf(entry)} and was refused${why}`;
};
