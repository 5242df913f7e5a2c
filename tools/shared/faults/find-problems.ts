import type { ReceivedRequest } from '../https-receiver.js';
import type { Registration } from './context.js';
import type { LedgerEntry } from './ledger.js';
import type { StoredState } from './stored-state.js';

/** What clients, receiver and database show after a run. */
export interface Observations {
  readonly entries: readonly Pick<LedgerEntry, 'tenant' | 'email' | 'response'>[];
  readonly requests: readonly Pick<
    ReceivedRequest,
    'path' | 'headers' | 'json' | 'hasValidSignature'
  >[];
  readonly registrations: readonly Registration[];
  readonly states: readonly StoredState[];
  /**
   * Deliveries that may be repeated: those in flight or not yet recorded at each fault. Failed
   * attempts may be repeated as well, since the receiver may have got them.
   */
  readonly maxRepeats: number;
  /**
   * Deliveries whose success may have been lost, since it is written to one member of the replica
   * set only. Default: none.
   */
  readonly maxUndelivered?: number | undefined;
}

export interface Findings {
  readonly problems: readonly string[];
  readonly events: number;
  readonly deliveries: number;
  /** Deliveries that arrived again with the same id. */
  readonly repeats: number;
}

export const deliveryIdOf = ({ headers }: Pick<ReceivedRequest, 'headers'>): string =>
  String(headers['x-service-delivery']);

/** No problem if the condition holds. */
export const unless = (condition: boolean, problem: string): readonly string[] =>
  condition ? [] : [problem];

const sumOf = (states: readonly StoredState[], count: (state: StoredState) => number): number =>
  states.reduce((sum, state) => sum + count(state), 0);

/** Compares what clients and receiver got with what the database stores. */
export const findProblems = (observations: Observations): Findings => {
  const { entries, requests, registrations, states } = observations;
  const { maxRepeats, maxUndelivered = 0 } = observations;
  const repeats = requests.length - new Set(requests.map(deliveryIdOf)).size;
  const repeatable = maxRepeats + sumOf(states, ({ failedAttempts }) => failedAttempts);
  const undelivered = sumOf(states, (state) => state.undelivered);
  const open = entries.filter(({ response }) => response === undefined).length;
  return {
    problems: [
      ...unless(open === 0, `${open} of ${entries.length} creates were never acknowledged`),
      ...states.flatMap((state) => [
        ...userProblems(state, entries),
        ...logProblems(state),
        ...registrations
          .filter(({ tenant }) => tenant === state.slug)
          .flatMap((registration) => deliveryProblems(registration, state, requests)),
      ]),
      ...unless(undelivered <= maxUndelivered, `${undelivered} events are not delivered`),
      ...unless(repeats <= repeatable, `${repeats} deliveries were repeated, limit ${repeatable}`),
    ],
    events: sumOf(states, ({ events }) => events.length),
    deliveries: requests.length,
    repeats,
  };
};

const userProblems = (
  { slug, users, counters: { userCount, seatsProvisioned } }: StoredState,
  entries: Observations['entries'],
): readonly string[] => {
  const emailOf = new Map(users.map(({ _id, email }) => [_id, email]));
  const acknowledged = entries.flatMap(({ tenant, email, response }) =>
    tenant === slug && response !== undefined
      ? [{ email, id: (JSON.parse(response) as { readonly id: string }).id }]
      : [],
  );
  const lost = acknowledged.filter(({ id, email }) => emailOf.get(id) !== email);
  const duplicates = users.length - new Set(users.map(({ email }) => email)).size;
  const unacknowledged = users.length - acknowledged.length;
  const isCounted = userCount === users.length && seatsProvisioned === users.length;
  return [
    ...lost.map(({ email }) => `${slug}: ${email} was acknowledged but is not stored`),
    ...unless(duplicates === 0, `${slug}: ${duplicates} users are stored twice`),
    ...unless(unacknowledged <= 0, `${slug}: ${unacknowledged} more users than acknowledged`),
    ...unless(
      isCounted,
      `${slug}: ${users.length} users, but ${userCount} counted with ${seatsProvisioned} seats`,
    ),
  ];
};

const logProblems = (state: StoredState): readonly string[] => {
  const { slug, users, events, commands, counters } = state;
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  const ids = users.map(({ _id }) => _id);
  const created = events.filter(({ name }) => name === 'user.created').map(({ res }) => res.id);
  const subjects = commands.map(({ subject }) => subject?.id);
  return [
    ...unless(gap === -1, `${slug}: the event log has a gap or a duplicate at seq ${gap + 1}`),
    ...unless(
      counters.seq === events.length,
      `${slug}: ${events.length} events, but the last seq is ${counters.seq}`,
    ),
    ...unless(areEqual(ids, created), `${slug}: some users do not have one user.created`),
    ...unless(areEqual(ids, subjects), `${slug}: some users do not have one command in the log`),
  ];
};

const areEqual = (one: readonly string[], other: readonly (string | undefined)[]): boolean =>
  one.length === other.length && [...one].sort().join() === [...other].sort().join();

const deliveryProblems = (
  { path, secret }: Registration,
  { events }: StoredState,
  requests: Observations['requests'],
): readonly string[] => {
  const received = requests.filter((request) => request.path === path);
  const deliveryIds = new Map<string, Set<string>>();
  let [unknown, forged] = [0, 0];
  for (const request of received) {
    const { id, seq } = request.json as { readonly id: string; readonly seq: number };
    deliveryIds.set(id, (deliveryIds.get(id) ?? new Set()).add(deliveryIdOf(request)));
    if (events[seq - 1]?._id !== id) unknown += 1;
    if (!request.hasValidSignature(secret)) forged += 1;
  }
  const lost = events.filter(({ _id }) => !deliveryIds.has(_id));
  const duplicated = [...deliveryIds.values()].filter(({ size }) => size > 1).length;
  return [
    ...lost.map(({ seq }) => `${path}: event ${seq} was not delivered`),
    ...unless(duplicated === 0, `${path}: ${duplicated} events arrived under several delivery ids`),
    ...unless(unknown === 0, `${path}: ${unknown} deliveries are of events not in the log`),
    ...unless(forged === 0, `${path}: ${forged} deliveries have a wrong signature`),
  ];
};
