import type { Actor, Source } from './actor.js';
import { COMMANDS } from './command-catalogue.js';
import type { Command, Envelope } from './commands.js';
import { refuse, type Refusal } from './refusals.js';
import type { Scope } from './scopes.js';

/** The scope that permits the command; undefined if no API key acts. */
export const scopeFor = ({
  actor,
  source,
  command,
}: Pick<Envelope, 'actor' | 'source' | 'command'>): Scope | undefined => {
  const { permission } = COMMANDS[command.type];
  return actor.kind === 'api-key' && permission !== 'operators only'
    ? permission[source]
    : undefined;
};

/** Why the actor has no permission for the command; undefined if permitted. */
export const refusalFor = (actor: Actor, source: Source, command: Command): Refusal | undefined => {
  const { permission } = COMMANDS[command.type];
  if (actor.kind === 'operator' || actor.kind === 'system') return undefined;
  if (actor.kind === 'connector' && command.type.startsWith('user.')) return undefined;
  if (actor.kind === 'connector' || permission === 'operators only')
    return forbidden('This operation requires an operator.');
  const scope = permission[source];
  if (scope === undefined) return forbidden('This interface does not offer the operation.');
  return actor.scopes.includes(scope)
    ? undefined
    : forbidden(`This operation requires the scope "${scope}".`, { scope });
};

const forbidden = (message: string, more: Pick<Refusal, 'scope'> = {}): Refusal =>
  refuse('INSUFFICIENT_SCOPE', message, more);
