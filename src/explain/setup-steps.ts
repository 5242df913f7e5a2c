import type { ApiKeyWithUse } from '../ports/tenants.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import {
  isSuccess,
  SETUP_COMMANDS,
  type SetupCommand,
  setupCommandOf,
} from '../pipeline/log/log-keys.js';
import { clientOf } from '../domain/tenant/connection.js';

export const SETUP_STATES = ['done', 'waiting', 'failed'] as const;

/** The steps of connecting an identity provider, in order, and what to do for each. */
const TO_DO = {
  key: 'Create an API key for it.',
  first_request: 'Enter the base URL and the API key there, and test the connection.',
  test_user_lookup: 'Test the connection there: it searches for a user that does not exist.',
  first_user: 'Assign a user to the application there.',
  first_group: 'Push a group there. Its name must be that of a room or of a role mapping.',
  deactivation: 'Remove the assignment of a test user there: the user must become inactive.',
} as const;

type StepId = keyof typeof TO_DO;

export const SETUP_STEPS = Object.keys(TO_DO) as readonly StepId[];

const DONE: Readonly<Record<SetupCommand, string>> = {
  first_user: 'Created the user',
  first_group: 'Pushed the group',
  deactivation: 'Deactivated the user',
};

/** How far the connection of an identity provider is. */
interface SetupStep {
  readonly id: StepId;
  readonly state: (typeof SETUP_STATES)[number];
  readonly at: Date | null;
  /** What has happened, or what to do. */
  readonly detail: string;
}

const step = (id: StepId, at: Date | null | undefined, done: string): SetupStep =>
  at
    ? { id, state: 'done', at, detail: done }
    : { id, state: 'waiting', at: null, detail: TO_DO[id] };

/** Of commands: done by the first that succeeded; failed if all were refused. */
const commandStep = (id: SetupCommand, commands: readonly CommandLogEntry[]): SetupStep => {
  const matching = commands.filter((entry) => setupCommandOf(entry) === id);
  const first = matching.findLast(isSuccess);
  const [refused] = matching;
  if (first || !refused)
    return step(id, first?.at, `${DONE[id]}: ${first?.subject?.name ?? first?.type}.`);
  const { code = refused.outcome, message = '' } = refused.refusal ?? {};
  return { id, state: 'failed', at: refused.at, detail: `Refused with ${code}. ${message}` };
};

export const setupSteps = (
  /** Undefined: there is no API key for an identity provider. */
  key: ApiKeyWithUse | undefined,
  /** Commands of the key that are steps, newest first. */
  commands: readonly CommandLogEntry[],
  /** Its newest command. */
  newest: CommandLogEntry | undefined,
): readonly SetupStep[] => {
  // Entra's generic application does not name itself.
  const client = clientOf(key?.userAgent ?? null);
  // A command appears in the log before its request is stored as the last use of the key.
  const usedAt = key?.firstUsedAt ?? key?.lastUsedAt ?? newest?.at;
  return [
    step('key', key?.key.createdAt, `The API key "${key?.key.description}".`),
    step('first_request', usedAt, client === null ? 'With this API key.' : `From ${client}.`),
    step('test_user_lookup', key?.lookedUpAt, 'It searched for a user.'),
    ...SETUP_COMMANDS.map((id) => commandStep(id, commands)),
  ];
};
