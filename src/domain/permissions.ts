import type { Actor, Source } from './actor.js';
import type { Command, CommandType, Envelope } from './commands.js';
import { refuse, type Refusal } from './refusals.js';
import type { Scope } from './scopes.js';

type Requirement =
  /** A key needs this scope when the command comes through this door; through others it is refused. */
  | Partial<Record<Source, Scope>>
  /** No API key may do it, whatever its scopes. */
  | 'operators only';

const BY_EITHER_DOOR = { scim: 'scim:write', rest: 'api:users:write' } as const;

/**
 * Which scope lets an API key do what (interface.md, Authentication). Operators and the gateway
 * itself may do everything; connectors provision users.
 */
const REQUIREMENTS = {
  'user.create': BY_EITHER_DOOR,
  'user.replace': { scim: 'scim:write' },
  'user.patch': { scim: 'scim:write' },
  'user.update': { rest: 'api:users:write' },
  'user.deactivate': { rest: 'api:users:write' },
  'user.delete': { scim: 'scim:write' },
  'room.create': 'operators only',
  'room.rename': 'operators only',
  'room.delete': 'operators only',
  'room.map': { rest: 'api:rooms:write' },
  'room.unmap': { rest: 'api:rooms:write' },
  'member.add': { rest: 'api:rooms:write' },
  'member.update': { rest: 'api:rooms:write' },
  'member.remove': { rest: 'api:rooms:write' },
  'member.sync': { rest: 'api:rooms:write' },
  'group.create': { scim: 'scim:write' },
  'group.change': { scim: 'scim:write' },
  'group.delete': { scim: 'scim:write' },
  // Every operation that a Bulk may hold needs just this (BulkableCommand).
  bulk: { scim: 'scim:write' },
  'role-mapping.create': 'operators only',
  'role-mapping.update': 'operators only',
  'role-mapping.delete': 'operators only',
  'sms-list.create': { rest: 'api:sms_lists:write' },
  'sms-list.update': { rest: 'api:sms_lists:write' },
  'sms-list.delete': { rest: 'api:sms_lists:write' },
  'sms-member.upsert': { rest: 'api:sms_lists:write' },
  'sms-member.replace': { rest: 'api:sms_lists:write' },
  'sms-member.remove': { rest: 'api:sms_lists:write' },
  'sms-member.remove-by-number': { rest: 'api:sms_lists:write' },
  'sms-member.sweep': 'operators only',
  'job.step': 'operators only',
  'tenant.create': 'operators only',
  'tenant.update': 'operators only',
  'tenant.delete': 'operators only',
  'api-key.create': 'operators only',
  'api-key.delete': 'operators only',
  'plugin.change': { rest: 'webhooks' },
} as const satisfies Record<CommandType, Requirement>;

/** The scope that a key needs for this; null where no key acted. */
export const scopeFor = ({
  actor,
  source,
  command,
}: Pick<Envelope, 'actor' | 'source' | 'command'>): Scope | null => {
  const requirement: Requirement = REQUIREMENTS[command.type];
  return actor.kind === 'api-key' && requirement !== 'operators only'
    ? (requirement[source] ?? null)
    : null;
};

/** Why the actor may not have this done, or undefined where he may. */
export const refusalFor = (actor: Actor, source: Source, command: Command): Refusal | undefined => {
  const requirement: Requirement = REQUIREMENTS[command.type];
  if (actor.kind === 'operator' || actor.kind === 'system') return undefined;
  if (actor.kind === 'connector')
    return command.type.startsWith('user.') ? undefined : forbidden('an operator');
  if (requirement === 'operators only') return forbidden('an operator');
  const scope = requirement[source];
  if (scope !== undefined && actor.scopes.includes(scope)) return undefined;
  return forbidden(`a key with the scope ${scope ?? 'of another interface'}`, scope);
};

const forbidden = (who: string, scope?: string): Refusal =>
  refuse('INSUFFICIENT_SCOPE', `This needs ${who}.`, scope === undefined ? {} : { scope });
