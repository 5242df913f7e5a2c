import { describeActor } from '../domain/actor.js';
import type { Command } from '../domain/commands.js';
import { isRefused } from '../domain/decide/decider.js';
import type { DomainEvent, NewEvent } from '../domain/events.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import { kindOf } from '../domain/refusals.js';
import type { Judged } from './batch.js';
import type { CommandLogEntry, LogOutcome } from './commit-store.js';

const targetOf = (command: Command): string | null => {
  if ('userId' in command) return command.userId;
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
  { arrival, verdict }: Judged,
  events: readonly DomainEvent[],
  at: Date,
): CommandLogEntry => {
  const { envelope, receivedAt } = arrival;
  const refusal = isRefused(verdict) ? verdict.refusal : null;
  const [first, last] = [events[0], events.at(-1)];
  return {
    id: envelope.id,
    tenantId: envelope.tenantId,
    at,
    actor: describeActor(envelope.actor),
    source: envelope.source,
    type: envelope.command.type,
    target: targetOf(envelope.command),
    outcome: outcomeOf({ arrival, verdict, recalled: false }),
    refusal,
    changed: events.flatMap(changedBy),
    events: first && last ? [first.seq, last.seq] : null,
    durationMs: Math.round(performance.now() - receivedAt),
    requestId: envelope.requestId,
    ...(envelope.command.type === 'plugin.change' && !isRefused(verdict)
      ? { answer: withoutSecret(verdict.result as JsonObject | null) }
      : {}),
  };
};

/** No secret stands in the log, sealed or not (pipeline-rules.md 15). */
const withoutSecret = (result: JsonObject | null): JsonValue => {
  const { secret: _secret, ...rest } = result ?? {};
  return rest;
};

const outcomeOf = ({ verdict }: Judged): LogOutcome => {
  if (isRefused(verdict)) return kindOf(verdict.refusal) === 'broken' ? 'failed' : 'refused';
  return verdict.changes.length > 0 ? 'applied' : 'no-op';
};
