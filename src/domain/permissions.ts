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

/** Why the actor may not have this done, or undefined where he may. */
export const refusalFor = (actor: Actor, source: Source, command: Command): Refusal | undefined => {
  const { permission } = COMMANDS[command.type];
  if (actor.kind === 'operator' || actor.kind === 'system') return undefined;
  if (actor.kind === 'connector')
    return command.type.startsWith('user.') ? undefined : forbidden('an operator');
  if (permission === 'operators only') return forbidden('an operator');
  const scope = permission[source];
  if (scope !== undefined && actor.scopes.includes(scope)) return undefined;
  return forbidden(`a key with the scope ${scope ?? 'of another interface'}`, scope);
};

const forbidden = (who: string, scope?: string): Refusal =>
  refuse('INSUFFICIENT_SCOPE', `This needs ${who}.`, scope === undefined ? {} : { scope });
