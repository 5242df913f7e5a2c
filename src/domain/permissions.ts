import type { Actor, Source } from './kernel/actor.js';
import { COMMANDS, type Permission } from './command-catalogue.js';
import type { Command, CommandType, Envelope } from './commands.js';
import { refuse, type Refusal } from './kernel/refusals.js';
import type { Scope } from './scopes.js';

/**
 * The permission of a command; a plugin's command carries the scope that its plugin declares.
 * Undefined: operators only.
 */
const permissionOf = (
  command: Command,
): Exclude<Permission, 'declared by the plugin'> | undefined => {
  const { permission } = COMMANDS[command.type];
  if (permission !== 'declared by the plugin') return permission;
  const scope = command.type === 'plugin.change' ? command.scope : null;
  return scope === null ? undefined : { rest: scope };
};

/** The scope that permits the command; null if no API key acts. */
export const scopeFor = ({
  actor,
  source,
  command,
}: Pick<Envelope, 'actor' | 'source' | 'command'>): Scope | null => {
  const permission = permissionOf(command);
  return actor.kind === 'api-key' ? (permission?.[source] ?? null) : null;
};

/**
 * What a connector may do: people, and through the members of groups their rooms and roles. It deletes
 * nothing.
 */
export const CONNECTOR_COMMAND_TYPES = [
  'user.create',
  'user.replace',
  'user.patch',
  'user.update',
  'user.deactivate',
  'group.create',
  'group.change',
] as const satisfies readonly CommandType[];

/** A type of command that a connector may submit. */
export type ConnectorCommandType = (typeof CONNECTOR_COMMAND_TYPES)[number];

const CONNECTOR_COMMANDS: ReadonlySet<CommandType> = new Set(CONNECTOR_COMMAND_TYPES);

/** Why the actor has no permission for the command; undefined if permitted. */
export const refusalFor = (actor: Actor, source: Source, command: Command): Refusal | undefined => {
  const permission = permissionOf(command);
  if (actor.kind === 'operator' || actor.kind === 'system') return undefined;
  if (actor.kind === 'connector' && CONNECTOR_COMMANDS.has(command.type)) return undefined;
  if (actor.kind === 'connector' || permission === undefined)
    return forbidden('This operation requires an operator.');
  const scope = permission[source];
  if (scope === undefined) return forbidden('This interface does not offer the operation.');
  return actor.scopes.includes(scope)
    ? undefined
    : forbidden(`This operation requires the scope "${scope}".`, { scope });
};

const forbidden = (message: string, more: Pick<Refusal, 'scope'> = {}): Refusal =>
  refuse('INSUFFICIENT_SCOPE', message, more);
