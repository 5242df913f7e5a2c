import { describeActor } from '../domain/actor.js';
import type { Command, CommandType } from '../domain/commands.js';
import { isRefused } from '../domain/decide/decider.js';
import type { DomainEvent, NewEvent } from '../domain/events.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { kindOf, type Refusal } from '../domain/refusals.js';
import type { JudgedCommand } from './batch.js';
import { namesChangedBy } from './changed-names.js';
import type { CommandLogEntry, LoggedRefusal, LogOutcome } from './commit-store.js';

const targetOf = (command: Command): string | null => {
  if ('roomId' in command && command.type !== 'group.create') return command.roomId;
  if ('listId' in command) return command.listId;
  if ('groupId' in command) return command.groupId;
  if ('userId' in command) return command.userId;
  if ('mappingId' in command) return command.mappingId;
  if ('jobId' in command) return command.jobId;
  if ('keyId' in command) return command.keyId;
  if ('recordId' in command) return command.recordId;
  return null;
};

const changedBy = ({ name, data }: NewEvent): readonly string[] => {
  if (name === 'user.deactivated' || name === 'user.reactivated') return ['active'];
  return Array.isArray(data.changed) ? (data.changed as string[]) : [];
};

/** The line that the provisioning log keeps of a command, and nothing that it must not keep. */
export const logEntryOf = (
  { envelope, verdict }: JudgedCommand,
  events: readonly DomainEvent[],
  { at, since }: { readonly at: Date; readonly since: number },
): CommandLogEntry => {
  const [first, last] = [events[0], events.at(-1)];
  return {
    id: envelope.id,
    tenantId: envelope.tenantId,
    at,
    actor: describeActor(envelope.actor),
    source: envelope.source,
    type: envelope.command.type,
    target: targetOf(envelope.command),
    outcome: outcomeOf(verdict),
    refusal: isRefused(verdict) ? loggedRefusalOf(verdict.refusal) : null,
    changed: [
      ...new Set([
        ...events.flatMap(changedBy),
        ...(isRefused(verdict) ? [] : verdict.changes.flatMap(namesChangedBy)),
      ]),
    ],
    events: first && last ? [first.seq, last.seq] : null,
    durationMs: Math.round(performance.now() - since),
    requestId: envelope.requestId,
    ...(KEEP_ANSWER.has(envelope.command.type) && !isRefused(verdict)
      ? { answer: withoutSecret(verdict.result as JsonObject | null) }
      : {}),
  };
};

const loggedRefusalOf = ({ code, message, logMessage, scimType }: Refusal): LoggedRefusal => ({
  code,
  message: logMessage ?? message,
  ...(scimType && { scimType }),
});

/** Nothing else could tell their answers again. */
const KEEP_ANSWER: ReadonlySet<CommandType> = new Set([
  'plugin.change',
  'member.sync',
  'sms-member.upsert',
  'sms-member.replace',
  'sms-member.remove-by-number',
]);

/** No secret stands in the log, sealed or not (pipeline-rules.md 15). */
const withoutSecret = (result: JsonObject | null): JsonValue => {
  const { secret: _secret, ...rest } = result ?? {};
  return rest;
};

const outcomeOf = (verdict: JudgedCommand['verdict']): LogOutcome => {
  if (isRefused(verdict)) return kindOf(verdict.refusal) === 'broken' ? 'failed' : 'refused';
  return verdict.changes.length > 0 ? 'applied' : 'no-op';
};
