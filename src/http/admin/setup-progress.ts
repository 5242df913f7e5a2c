import type { ApiKeyWithUse } from '../../api/tenants.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { isSuccess, type SetupCommand, setupCommandOf } from '../../pipeline/log/log-keys.js';

export const SETUP_STEPS = [
  'key',
  'first_request',
  'test_user_lookup',
  'first_user',
  'first_group',
  'deactivation',
] as const;

export const SETUP_STATES = ['done', 'waiting', 'failed'] as const;

/** How far the connection of an identity provider is. */
export interface SetupStep {
  readonly id: (typeof SETUP_STEPS)[number];
  readonly state: (typeof SETUP_STATES)[number];
  readonly at: Date | null;
  /** What has happened, or what to do. */
  readonly detail: string;
}

export interface SetupFacts {
  /** Undefined: there is no API key for an identity provider. */
  readonly key: ApiKeyWithUse | undefined;
  /** Commands of the key, newest first, with the first of each kind. */
  readonly commands: readonly CommandLogEntry[];
}

const step = (id: SetupStep['id'], at: Date | null, detail: string): SetupStep => ({
  id,
  state: at === null ? 'waiting' : 'done',
  at,
  detail,
});

/** Of commands: done by the first that succeeded; failed if all were refused. */
const stepOf = (
  id: SetupCommand,
  { commands }: SetupFacts,
  { done, todo }: Readonly<{ done: string; todo: string }>,
): SetupStep => {
  const matching = commands.filter((entry) => setupCommandOf(entry) === id);
  const first = matching.findLast(isSuccess);
  if (first) return step(id, first.at, `${done}: ${first.subject?.name ?? first.type}.`);
  const [refused] = matching;
  if (!refused) return step(id, null, todo);
  const { code = refused.outcome, message = '' } = refused.refusal ?? {};
  return { id, state: 'failed', at: refused.at, detail: `Refused with ${code}. ${message}` };
};

/** The steps of connecting an identity provider, in order. */
export const readSetupProgress = (facts: SetupFacts): readonly SetupStep[] => {
  const { key, commands } = facts;
  // A command appears in the log before its request is stored as the last use of the key.
  const usedAt = key?.firstUsedAt ?? key?.lastUsedAt ?? commands.at(-1)?.at ?? null;
  return [
    step(
      'key',
      key?.key.createdAt ?? null,
      key ? `The API key "${key.key.description}".` : 'Create an API key for it.',
    ),
    step(
      'first_request',
      usedAt,
      usedAt === null
        ? 'Enter the base URL and the API key there, and test the connection.'
        : `From ${key?.userAgent ?? 'a client that sends no User-Agent'}.`,
    ),
    step(
      'test_user_lookup',
      key?.lookedUpAt ?? null,
      key?.lookedUpAt
        ? 'It searched for a user.'
        : 'Test the connection there: it searches for a user that does not exist.',
    ),
    stepOf('first_user', facts, {
      done: 'Created the user',
      todo: 'Assign a user to the application there.',
    }),
    stepOf('first_group', facts, {
      done: 'Pushed the group',
      todo: 'Push a group there. Its name must be that of a room or of a role mapping.',
    }),
    stepOf('deactivation', facts, {
      done: 'Deactivated the user',
      todo: 'Remove the assignment of a test user there: the user must become inactive.',
    }),
  ];
};
