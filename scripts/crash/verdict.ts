import type { Stock } from './stock-taking.js';

/** A delivery as the receiver had it. */
export interface Received {
  readonly tenant: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly seq: number;
  readonly isGenuine: boolean;
}

/** What a client was told: this user is there now. */
export interface Acknowledged {
  readonly tenant: string;
  readonly email: string;
  readonly userId: string;
}

export interface Evidence {
  /** Users that were asked for, and all of which were acknowledged in the end. */
  readonly creates: number;
  readonly acknowledged: readonly Acknowledged[];
  readonly stocks: readonly Stock[];
  readonly received: readonly Received[];
  /**
   * Deliveries that may come twice: what was under way or unwritten at each kill. Beside those whose
   * attempt failed: the receiver may have had them.
   */
  readonly mostRepeats: number;
  /**
   * Deliveries whose end the database may have forgotten, so that they will come again: it is written
   * to one member, which may be lost. Absent: none.
   */
  readonly mostForgotten?: number;
}

export interface Verdict {
  readonly problems: readonly string[];
  readonly events: number;
  readonly deliveries: number;
  /** Deliveries that came again, under the same id. */
  readonly repeats: number;
}

/** Holds what the clients and the receiver were told against what the database knows. */
export const judge = (evidence: Evidence): Verdict => {
  const { creates, acknowledged, stocks, received, mostRepeats, mostForgotten = 0 } = evidence;
  const repeats = received.length - new Set(received.map(({ deliveryId }) => deliveryId)).size;
  const missing = creates - acknowledged.length;
  const mayRepeat = stocks.reduce((sum, stock) => sum + stock.failedAttempts, mostRepeats);
  const forgotten = stocks.reduce((sum, { undelivered }) => sum + undelivered, 0);
  return {
    problems: [
      ...(missing === 0 ? [] : [`${missing} of ${creates} creates were never acknowledged`]),
      ...stocks.flatMap((stock) => [
        ...problemsOfUsers(stock, acknowledged),
        ...problemsOfLog(stock),
        ...problemsOfDeliveries(stock, received),
      ]),
      ...(forgotten <= mostForgotten ? [] : [`${forgotten} rows of the outbox are not done`]),
      ...(repeats <= mayRepeat ? [] : [`${repeats} deliveries came again, where ${mayRepeat} may`]),
    ],
    events: stocks.reduce((sum, { events }) => sum + events.length, 0),
    deliveries: received.length,
    repeats,
  };
};

const problemsOfUsers = (
  { slug, users, counted }: Stock,
  acknowledged: readonly Acknowledged[],
): readonly string[] => {
  const emailOf = new Map(users.map(({ id, email }) => [id, email]));
  const told = acknowledged.filter(({ tenant }) => tenant === slug);
  const lost = told.filter(({ userId, email }) => emailOf.get(userId) !== email);
  const doubles = users.length - new Set(users.map(({ email }) => email)).size;
  const unasked = users.length - told.length;
  return [
    ...lost.map(({ email }) => `${slug}: ${email} was acknowledged and is not there`),
    ...(doubles === 0 ? [] : [`${slug}: ${doubles} users are there twice`]),
    ...(unasked <= 0 ? [] : [`${slug}: ${unasked} users more than were acknowledged`]),
    ...(counted.users === users.length && counted.seats === users.length
      ? []
      : [`${slug}: ${users.length} users, but ${counted.users} counted on ${counted.seats} seats`]),
  ];
};

const problemsOfLog = ({ slug, users, events, applied, counted }: Stock): readonly string[] => {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  const created = events.filter(({ name }) => name === 'user.created');
  const ids = users.map(({ id }) => id);
  return [
    ...(gap === -1 ? [] : [`${slug}: the log has a gap or a double at place ${gap + 1}`]),
    ...(counted.seq === events.length
      ? []
      : [`${slug}: ${events.length} events, but the last place given is ${counted.seq}`]),
    ...(areSame(
      ids,
      created.map(({ subject }) => subject),
    )
      ? []
      : [`${slug}: not each user has exactly one user.created`]),
    ...(areSame(ids, applied) ? [] : [`${slug}: not each user has exactly one line in the log`]),
  ];
};

const areSame = (one: readonly string[], other: readonly (string | null)[]): boolean =>
  one.length === other.length && [...one].sort().join() === [...other].sort().join();

const problemsOfDeliveries = (
  { slug, events }: Stock,
  received: readonly Received[],
): readonly string[] => {
  const own = received.filter(({ tenant }) => tenant === slug);
  const idsOf = new Map<string, Set<string>>();
  for (const { eventId, deliveryId } of own)
    idsOf.set(eventId, (idsOf.get(eventId) ?? new Set()).add(deliveryId));
  const lost = events.filter(({ id }) => !idsOf.has(id));
  const manyIds = [...idsOf.values()].filter((ids) => ids.size > 1).length;
  const foreign = own.filter(({ eventId, seq }) => events[seq - 1]?.id !== eventId).length;
  const forged = own.filter(({ isGenuine }) => !isGenuine).length;
  return [
    ...lost.map(({ seq }) => `${slug}: event ${seq} was never delivered`),
    ...(manyIds === 0 ? [] : [`${slug}: ${manyIds} events came under several delivery ids`]),
    ...(foreign === 0 ? [] : [`${slug}: ${foreign} deliveries tell of what is not in the log`]),
    ...(forged === 0 ? [] : [`${slug}: ${forged} deliveries are not genuine`]),
  ];
};
