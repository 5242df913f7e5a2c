import { targetOf, type TargetTable } from '../../domain/command-catalogue.js';
import type { Command } from '../../domain/commands.js';
import type { LoadedEntities } from '../../domain/kernel/decider.js';
import type { Job } from '../../domain/job/job.js';
import type { Change, Entities, Lookup } from '../../domain/tables.js';

/** What the log calls the entities of each table. */
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
} as const satisfies Record<TargetTable, unknown>;

export const isNamedTable = (table: Change['table']): table is TargetTable =>
  Object.hasOwn(NAMED, table);

export const kindOfTable = (table: TargetTable): string => NAMED[table].kind;

export const nameIn = <T extends TargetTable>(table: T, entity: Entities[T]): string =>
  // Each function takes the entities of its own table, which TypeScript does not follow.
  (NAMED[table].nameOf as (entity: Entities[T]) => string)(entity);

/** The entity, if the batch has loaded it: the log causes no lookups of its own. */
export const loadedEntity = <T extends TargetTable>(
  facts: LoadedEntities,
  table: T,
  id: string,
): Entities[T] | undefined => {
  // All of these tables have this index, which TypeScript does not follow.
  const lookup = { table, index: 'id', key: id } as Lookup;
  return facts.isLoaded(lookup) ? facts.find(table, 'id' as never, id) : undefined;
};

/** What a command is about. */
export interface Subject {
  /** Absent for the tenant, a job or a plugin's record. */
  readonly table?: TargetTable;
  readonly kind: string;
  readonly id: string | null;
  /** As the client sent it; null if the command does not contain it. */
  readonly name: string | null;
  /** A second name that the entry is found by. */
  readonly alias?: string | null;
  /** A name by whose words a refused command is found. */
  readonly label?: string;
  /** The command creates it: if it is refused, the id belongs to nothing. */
  readonly isNew?: true;
}

const entity = (table: TargetTable, id: string): Subject => ({
  table,
  kind: NAMED[table].kind,
  id,
  name: null,
});

/** The subject of a command's line in the provisioning log. */
export const subjectOf = (command: Command, tenantId: string, facts: LoadedEntities): Subject => {
  const target = targetOf(command);
  if ('table' in target) return { kind: NAMED[target.table].kind, ...target };
  switch (target.kind) {
    case 'tenant':
      return { kind: 'tenant', id: tenantId, name: target.name };
    case 'plugin':
      return { kind: target.plugin, id: target.recordId, name: null };
    case 'job':
      return subjectOfJob(target.jobId, facts);
  }
};

/** A step of a job has the subject of the change that started the job. */
const subjectOfJob = (jobId: string, facts: LoadedEntities): Subject => {
  const isLoaded = facts.isLoaded({ table: 'jobs', index: 'id', key: jobId });
  const job: Job | undefined = isLoaded ? facts.find('jobs', 'id', jobId) : undefined;
  const unknown: Subject = { kind: 'job', id: jobId, name: null };
  if (!job) return unknown;
  const { work } = job;
  if ('listId' in work) return entity('smsLists', work.listId);
  if (work.rosterId === null) return unknown;
  const isRoom =
    work.kind === 'roster.clear'
      ? 'room' in work.holder
      : loadedEntity(facts, 'rooms', work.rosterId) !== undefined;
  return entity(isRoom ? 'rooms' : 'groups', work.rosterId);
};
