import { fold, type UserId } from '../../../src/plugin/api.js';
import type { User } from '../../../src/plugin/connectors-api.js';
import { emailIn } from '../mapping/attributes.js';
import { addressOf, type PlanItem } from '../plan/plan-item.js';
import type { IndexedItem } from './plan-store.js';
import type { Gateway } from './gateway.js';

/** In which order users can take the names and addresses of each other. */
export interface AddressMoves {
  /** Who goes round in a circle, such as one of two who swap: they give up their address first. */
  readonly mustGiveUp: readonly Move[];
  /** Each takes what is free by then. Who cannot get theirs is not among them. */
  readonly moves: readonly Move[];
}

/** A user who gets another name or address. */
export interface Move extends IndexedItem {
  /** Names and addresses that the user has now, will have, and of these, has not yet. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly wanted: readonly string[];
  /** Whether an earlier attempt has ended after the user gave up the address. */
  readonly hasGivenUp: boolean;
}

const keysOf = (userName: unknown, email: string | null | undefined): readonly string[] => [
  ...(typeof userName === 'string' ? [`userName:${fold(userName)}`] : []),
  ...(email == null ? [] : [`email:${fold(email)}`]),
];

/** Of the user before or after the item. */
const keysWhen = (
  when: 'before' | 'after',
  { changes }: PlanItem,
  user: User | undefined,
): readonly string[] => {
  const address = addressOf(user, changes, when);
  return keysOf(address.userName, emailIn(address));
};

/**
 * Works out the moves of plan items that were refused because another user has the user name or e-mail
 * address, from who has them now.
 */
export const orderMoves = async (
  conflicts: readonly IndexedItem[],
  gateway: Gateway,
): Promise<AddressMoves> => {
  const ids = conflicts.flatMap(({ item }) => item.userId ?? []);
  const users = await gateway.findUsers('id', ids);
  const moves = conflicts.map((conflict): Move => {
    const user = conflict.item.userId ? users.get(conflict.item.userId)?.[0] : undefined;
    const now = user ? keysOf(user.profile.userName, user.email) : [];
    const hasGivenUp = user !== undefined && user.profile.userName === user.id;
    const before = hasGivenUp ? keysWhen('before', conflict.item, user) : now;
    const after = keysWhen('after', conflict.item, user);
    const wanted = after.filter((key) => !now.includes(key));
    return { ...conflict, before, after, wanted, hasGivenUp };
  });
  const holders = new Map<string, UserId>();
  for (const by of ['userName', 'email'] as const) {
    const prefix = `${by}:`;
    const values = moves.flatMap(({ wanted }) =>
      wanted.flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
    );
    for (const [value, [user]] of await gateway.findUsers(by, values))
      if (user) holders.set(prefix + value, user.id);
  }
  const order = inOrder(possibleOf(moves, holders), holders);
  const before = moves.filter((move) => move.hasGivenUp && !order.mustGiveUp.includes(move));
  return { ...order, mustGiveUp: [...before, ...order.mustGiveUp] };
};

type Holders = ReadonlyMap<string, UserId>;

const byUser = (moves: readonly Move[]): ReadonlyMap<UserId, Move> =>
  new Map(moves.flatMap((move) => (move.item.userId ? [[move.item.userId, move] as const] : [])));

/** The moves whose addresses are free, or become free by another of these moves. */
const possibleOf = (all: readonly Move[], holders: Holders): readonly Move[] => {
  const movers = byUser(all);
  const first = new Map<string, Move>();
  for (const move of [...all].reverse()) for (const key of move.wanted) first.set(key, move);
  const isPossible = (move: Move): boolean =>
    move.wanted.every((key) => {
      const holder = holders.get(key);
      if (first.get(key) !== move) return false;
      return holder === undefined || movers.get(holder)?.after.includes(key) === false;
    });
  const possible = all.filter(isPossible);
  return possible.length === all.length ? all : possibleOf(possible, holders);
};

/**
 * Who has to go back, and in which order, so that a user who has given up an address gets it back: first
 * the user who has taken it, and before them the one who has taken theirs.
 */
export const wayBack = (stranded: Move, moved: readonly Move[]): readonly Move[] => {
  const holder = moved.find(
    (other) => other !== stranded && stranded.before.some((key) => other.after.includes(key)),
  );
  if (!holder) return [stranded];
  const others = moved.filter((other) => other !== holder);
  return [...wayBack(holder, others), stranded];
};

/** Who has an address moves before who takes it. */
const inOrder = (possible: readonly Move[], holders: Holders): AddressMoves => {
  const movers = byUser(possible);
  const mustGiveUp = new Set<Move>();
  const moves = new Set<Move>();
  const path = new Set<Move>();
  const visit = (move: Move): void => {
    if (moves.has(move)) return;
    if (path.has(move)) {
      mustGiveUp.add(move);
      return;
    }
    path.add(move);
    for (const key of move.wanted) {
      const holder = holders.get(key);
      const mover = holder && movers.get(holder);
      if (mover) visit(mover);
    }
    path.delete(move);
    moves.add(move);
  };
  possible.forEach(visit);
  return { mustGiveUp: [...mustGiveUp], moves: [...moves] };
};
