import { type Actor, describeActor, nameOfActor } from '../../domain/kernel/actor.js';
import { COMMANDS, usersAddedBy } from '../../domain/command-catalogue.js';
import {
  type Accepted,
  type DescribedRecord,
  isRefused,
  type LoadedEntities,
} from '../../domain/kernel/decider.js';
import { commandOfJob, type Job } from '../../domain/job/job.js';
import type { Command } from '../../domain/commands.js';
import type { DomainEvent } from '../../domain/events.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonObject, JsonValue } from '../../domain/kernel/json.js';
import { maskNumbersIn } from '../../domain/kernel/names.js';
import type { PluginRecord } from '../../domain/plugin/plugin-record.js';
import { kindOf, type Refusal } from '../../domain/kernel/refusals.js';
import type { Change } from '../../domain/tables.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import type { DecidedCommand } from '../batch.js';
import {
  type CommandLogEntry,
  type LogCounts,
  type LoggedRefusal,
  type LogOutcome,
  type LoggedChange,
  type LoggedResource,
  MAX_AFFECTED_KEYS,
  MAX_AFFECTED_SHOWN,
  MAX_CHANGES_SHOWN,
  MAX_SKIPPED_SHOWN,
} from '../commit-store.js';
import { loggedChanges, loggedText } from './logged-changes.js';
import {
  isNamedTable,
  kindOfTable,
  loadedEntity,
  nameIn,
  type Subject,
  subjectOf,
} from './logged-subject.js';
import {
  actorKey,
  affectedKey,
  isUnindexed,
  outcomeKey,
  requestKey,
  SKIPPED_KEY,
  sourceKey,
  subjectKey,
  triedKeys,
} from './log-keys.js';
import { displayNameOf } from '../../domain/user/user.js';
import { netOf } from '../workspace.js';

/** How the log shows a plugin's record; undefined: not at all. */
export type DescribeRecord = (record: PluginRecord) => DescribedRecord | undefined;

interface LogContext {
  readonly at: Date;
  /** When the command was received, by the monotonic clock. */
  readonly since: number;
  /** The entities that the batch has loaded. */
  readonly facts: LoadedEntities;
  readonly tenant: Tenant | undefined;
  readonly describe: DescribeRecord;
}

/** The provisioning log's entry for a command, without secrets and phone numbers. */
export const logEntryOf = function* (
  { envelope, decision }: DecidedCommand,
  events: readonly DomainEvent[],
  context: LogContext,
): Chunked<CommandLogEntry> {
  const { command, actor, source, tenantId, requestId } = envelope;
  const changes = isRefused(decision) ? [] : yield* netOf(decision.changes);
  const target = existingIn(subjectOf(command, tenantId, context.facts), decision);
  const named = nameSubject(target, changes, context);
  const subject =
    target.isNew && isRefused(decision) ? { ...named.resource, id: null } : named.resource;
  const resources = isRefused(decision)
    ? usersNamedBy(command, context.facts)
    : resourcesIn(changes, context.facts);
  const affected = yield* affectedOf(resources, target);
  const changed = yield* changedBy(changes, { ...context, subject: target });
  const outcome = outcomeOf(decision);
  const skipped = isRefused(decision) ? [] : (decision.skippedMembers ?? []);
  const [first, last] = [events[0], events.at(-1)];
  return {
    id: envelope.id,
    tenantId,
    at: context.at,
    actor: describeActor(actor),
    actorName: nameOfActor(actor),
    source,
    type: command.type,
    subject,
    affected: affected.shown,
    affectedCount: affected.count,
    changes: changed.shown,
    changeCount: changed.count,
    keys: [
      ...new Set([
        requestKey(requestId),
        ...actorKeysOf(actor),
        ...(subject.id === null ? [] : [subjectKey(subject.id)]),
        ...named.names.map(subjectKey),
        ...(skipped.length > 0 ? [SKIPPED_KEY] : []),
        ...(isUnindexed(outcome) ? [] : [outcomeKey(outcome)]),
        ...(isUnindexed(source) ? [] : [sourceKey(source)]),
        ...affected.ids.map(affectedKey),
        ...(isGone(command, target, isRefused(decision))
          ? triedKeys([...named.names, ...labelsOf(target, changes)])
          : []),
      ]),
    ],
    outcome,
    refusal: isRefused(decision) ? loggedRefusalOf(decision.refusal) : null,
    ...(skipped.length > 0 && {
      skipped: {
        ids: skipped.slice(0, MAX_SKIPPED_SHOWN).map(loggedText),
        count: skipped.length,
      },
    }),
    events: first && last ? [first.seq, last.seq] : null,
    // Counted when the entry is read.
    deliveries: 0,
    durationMs: Math.round(performance.now() - context.since),
    requestId,
    ...(COMMANDS[command.type].storesResponse && !isRefused(decision)
      ? { answer: loggedResult(decision) }
      : {}),
  };
};

/**
 * How many users a job's step changed, and in how many values: the entry of the command that the job
 * completes counts all of them. None for other commands.
 */
export const stepCountsOf = function* (
  { envelope, decision }: DecidedCommand,
  context: Omit<LogContext, 'since'>,
): Chunked<readonly LogCounts[]> {
  const { command, tenantId } = envelope;
  if (command.type !== 'job.step' || isRefused(decision)) return [];
  const job = decision.changes.find(({ table }) => table === 'jobs')?.after as Job | undefined;
  const all = yield* netOf(decision.changes);
  const ofUsers = all.filter(({ table }) => table === 'users' || table === 'memberships');
  if (!job || ofUsers.length === 0) return [];
  const subject = subjectOf(command, tenantId, context.facts);
  const affected = yield* affectedOf(resourcesIn(ofUsers, context.facts), subject);
  const changed = yield* changedBy(ofUsers, { ...context, subject });
  return [{ id: commandOfJob(job), affected: affected.count, changes: changed.count }];
};

/** A creation that reactivated a user is about that user. */
const existingIn = (subject: Subject, decision: DecidedCommand['decision']): Subject => {
  const { isNew, ...existing } = subject;
  if (isNew !== true || subject.table !== 'users' || isRefused(decision)) return subject;
  const { id } = decision.result as { readonly id: string };
  return id === subject.id ? subject : { ...existing, id };
};

/** Its subject is in no other index: it was not created, or is deleted. */
const isGone = ({ type }: Command, { isNew }: Subject, isRefusal: boolean): boolean =>
  isRefusal ? isNew === true : type === 'user.delete';

/** Names that the subject is not listed by. */
const labelsOf = ({ id, label }: Subject, changes: readonly Change[]): readonly string[] => [
  ...(label === undefined ? [] : [label]),
  ...changes.flatMap(({ table, before }) =>
    table === 'users' && before?.id === id ? [displayNameOf(before.profile)] : [],
  ),
];

/** An operator is found by id and by name. */
const actorKeysOf = (actor: Actor): readonly string[] =>
  [
    describeActor(actor),
    ...(actor.kind === 'operator' && actor.id !== undefined ? [`operator:${actor.name}`] : []),
  ].map(actorKey);

interface NamedSubject {
  readonly resource: LoggedResource;
  /** All names that the entry is found by, former ones included. */
  readonly names: readonly string[];
}

const nameSubject = (
  { table, kind, id, name, alias }: Subject,
  changes: readonly Change[],
  { facts, tenant, describe }: LogContext,
): NamedSubject => {
  if (kind === 'tenant') {
    const shown = name ?? tenant?.slug ?? null;
    return { resource: { kind, id, name: shown }, names: [] };
  }
  if (!table) return nameRecord({ kind, id, name }, changes, describe);
  const names = changes.flatMap((change) => {
    if (change.table !== table || (change.after ?? change.before)?.id !== id) return [];
    const { before, after } = change;
    return [after, before].flatMap((entity) => (entity ? [nameIn(table, entity)] : []));
  });
  const loaded = id === null ? undefined : loadedEntity(facts, table, id);
  const all = [...names, ...(loaded ? [nameIn(table, loaded)] : []), ...(name ? [name] : [])];
  const shown = all[0] ?? null;
  return {
    resource: { kind, id, name: shown === null ? null : loggedText(shown) },
    names: [...new Set([...all, ...(alias ? [alias] : [])])],
  };
};

const nameRecord = (
  given: LoggedResource,
  changes: readonly Change[],
  describe: DescribeRecord,
): NamedSubject => {
  for (const change of changes) {
    const record = change.table === 'pluginRecords' ? (change.after ?? change.before) : null;
    const described = record && describe(record);
    if (record) {
      const { kind = given.kind, name = null } = described ?? {};
      const shown = name === null ? null : loggedText(name);
      return {
        resource: { kind, id: record.id, name: shown },
        names: shown === null ? [] : [shown],
      };
    }
  }
  return { resource: given, names: [] };
};

interface Affected {
  readonly shown: readonly LoggedResource[];
  readonly ids: readonly string[];
  readonly count: number;
}

/** Resources besides the subject; users last, because there may be many. */
const affectedOf = function* (
  resources: Iterable<LoggedResource | undefined>,
  subject: Subject,
): Chunked<Affected> {
  const [others, users] = [new Map<string, LoggedResource>(), new Map<string, LoggedResource>()];
  let at = 0;
  for (const resource of resources) {
    at += 1;
    if (at % 128 === 0) yield;
    if (!resource?.id || resource.id === subject.id) continue;
    const group = resource.kind === 'user' ? users : others;
    if (!group.has(resource.id)) group.set(resource.id, resource);
  }
  const all = [...others.values(), ...users.values()];
  return {
    shown: all.slice(0, MAX_AFFECTED_SHOWN).map(({ name, ...resource }) => ({
      ...resource,
      name: name === null ? null : loggedText(name),
    })),
    ids: all.slice(0, MAX_AFFECTED_KEYS).flatMap(({ id }) => id ?? []),
    count: all.length,
  };
};

/** Named resources that changed. */
const resourcesIn = function* (changes: readonly Change[], facts: LoadedEntities) {
  for (const change of changes) yield resourceOf(change, facts);
};

/** Users whom a refused command would have added to a room or group. */
const usersNamedBy = function* (command: Command, facts: LoadedEntities) {
  for (const id of usersAddedBy(command)) {
    const user = loadedEntity(facts, 'users', id);
    if (user) yield { kind: 'user', id, name: nameIn('users', user) };
  }
};

const resourceOf = (change: Change, facts: LoadedEntities): LoggedResource | undefined => {
  const { table, before, after } = change;
  if (table === 'memberships') {
    const id = (after ?? before)?.userId ?? '';
    const user = loadedEntity(facts, 'users', id);
    return { kind: 'user', id, name: user ? nameIn('users', user) : null };
  }
  if (!isNamedTable(table)) return undefined;
  const entity = (after ?? before) as never as { readonly id: string };
  return { kind: kindOfTable(table), id: entity.id, name: nameIn(table, entity as never) };
};

const changedBy = function* (
  changes: readonly Change[],
  context: Omit<LogContext, 'since'> & { readonly subject: Subject },
): Chunked<{ readonly shown: readonly LoggedChange[]; readonly count: number }> {
  const shown: LoggedChange[] = [];
  let count = 0;
  for (const change of loggedChanges(changes, context)) {
    count += 1;
    if (count % 128 === 0) yield;
    if (shown.length < MAX_CHANGES_SHOWN) shown.push(change);
  }
  return { shown, count };
};

const loggedRefusalOf = ({ code, message, logMessage, scimType }: Refusal): LoggedRefusal => ({
  code,
  message: maskNumbersIn(logMessage ?? message),
  ...(scimType && { scimType }),
});

/** No secret is logged, sealed or not (pipeline-rules.md 15). */
const loggedResult = ({ result, unlogged = [] }: Accepted<unknown>): JsonValue =>
  Object.fromEntries(
    Object.entries((result ?? {}) as JsonObject).filter(([field]) => !unlogged.includes(field)),
  );

const outcomeOf = (decision: DecidedCommand['decision']): LogOutcome => {
  if (isRefused(decision)) return kindOf(decision.refusal) === 'broken' ? 'failed' : 'refused';
  return decision.changes.length > 0 ? 'applied' : 'no-op';
};
