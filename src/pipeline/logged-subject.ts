import type { Command } from '../domain/commands.js';
import type { Facts } from '../domain/decide/decider.js';
import type { Job } from '../domain/job.js';
import type { Change, Entities, Need } from '../domain/tables.js';
import { emailOf } from '../domain/user.js';

/** The tables whose entities the log names, each with what it calls them. */
const NAMED = {
  users: { kind: 'user', nameOf: ({ profile }: Entities['users']) => profile.userName },
  rooms: { kind: 'room', nameOf: ({ name }: Entities['rooms']) => name },
  groups: { kind: 'group', nameOf: ({ displayName }: Entities['groups']) => displayName },
  roleMappings: {
    kind: 'role_mapping',
    nameOf: ({ groupDisplayName }: Entities['roleMappings']) => groupDisplayName,
  },
  smsLists: { kind: 'sms_list', nameOf: ({ name }: Entities['smsLists']) => name },
  apiKeys: { kind: 'api_key', nameOf: ({ description }: Entities['apiKeys']) => description },
} as const;

export type NamedTable = keyof typeof NAMED;

export const isNamedTable = (table: Change['table']): table is NamedTable =>
  Object.hasOwn(NAMED, table);

export const kindOfTable = (table: NamedTable): string => NAMED[table].kind;

export const nameIn = <T extends NamedTable>(table: T, entity: Entities[T]): string =>
  // Each table's function takes the entities of its table, which TypeScript does not follow.
  (NAMED[table].nameOf as (entity: Entities[T]) => string)(entity);

/** What was loaded of an entity anyway: the log asks for nothing more. */
export const known = <T extends NamedTable>(
  facts: Pick<Facts, 'find' | 'knows'>,
  table: T,
  id: string,
): Entities[T] | undefined => {
  // Every one of these tables has this index, which TypeScript does not follow.
  const need = { table, index: 'id', key: id } as Need;
  return facts.knows(need) ? facts.find(table, 'id' as never, id) : undefined;
};

/** What a command is about, in the words of the request. */
export interface Subject {
  /** Undefined: the tenant, a job or a plugin's record. */
  readonly table?: NamedTable;
  readonly kind: string;
  readonly id: string | null;
  /** As the client sent it; null where it named none. */
  readonly name: string | null;
  /** Another name that the client sent, by which the line is found too. */
  readonly alias?: string | null;
  /** It was to come to be: where that is refused, nothing has its id. */
  readonly isNew?: true;
}

const of = (table: NamedTable, id: string, name: string | null = null): Subject => ({
  table,
  kind: NAMED[table].kind,
  id,
  name,
});

const made = (table: NamedTable, id: string, name: string): Subject => ({
  ...of(table, id, name),
  isNew: true,
});

/** What a command asks to be changed. */
export const subjectOf = (
  command: Command,
  tenantId: string,
  facts: Pick<Facts, 'find' | 'knows'>,
): Subject => {
  switch (command.type) {
    case 'user.create':
      return {
        ...made('users', command.userId, command.profile.userName),
        alias: emailOf(command.profile),
      };
    case 'user.replace':
      return of('users', command.userId, command.profile.userName);
    case 'room.create':
      return made('rooms', command.roomId, command.name);
    case 'group.create':
      return made('groups', command.groupId, command.displayName);
    case 'role-mapping.create':
      return made('roleMappings', command.mappingId, command.groupDisplayName);
    case 'sms-list.create':
      return made('smsLists', command.listId, command.name);
    case 'api-key.create':
      return made('apiKeys', command.keyId, command.description);
    case 'tenant.create':
      return { kind: 'tenant', id: tenantId, name: command.slug };
    case 'plugin.change':
      return { kind: command.plugin, id: recordIn(command.input), name: null };
    case 'job.step':
      return subjectOfJob(command.jobId, facts);
    default:
      return subjectById(command, tenantId);
  }
};

const recordIn = ({ id }: { readonly id?: unknown }): string | null =>
  typeof id === 'string' ? id : null;

const subjectById = (command: Command, tenantId: string): Subject => {
  if ('roomId' in command) return of('rooms', command.roomId);
  if ('groupId' in command) return of('groups', command.groupId);
  if ('userId' in command) return of('users', command.userId);
  if ('listId' in command) return of('smsLists', command.listId);
  if ('mappingId' in command) return of('roleMappings', command.mappingId);
  if ('keyId' in command) return of('apiKeys', command.keyId);
  return { kind: 'tenant', id: tenantId, name: null };
};

/** The steps of a job have the subject of the change that began it. */
const subjectOfJob = (jobId: string, facts: Pick<Facts, 'find' | 'knows'>): Subject => {
  const isKnown = facts.knows({ table: 'jobs', index: 'id', key: jobId });
  const job: Job | undefined = isKnown ? facts.find('jobs', 'id', jobId) : undefined;
  const unnamed: Subject = { kind: 'job', id: jobId, name: null };
  if (!job) return unnamed;
  const { work } = job;
  if ('listId' in work) return of('smsLists', work.listId);
  if (work.rosterId === null) return unnamed;
  const isRoom =
    work.kind === 'roster.clear'
      ? 'room' in work.holder
      : known(facts, 'rooms', work.rosterId) !== undefined;
  return of(isRoom ? 'rooms' : 'groups', work.rosterId);
};
