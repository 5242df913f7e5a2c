import { randomUUID } from 'node:crypto';
import {
  type Fence,
  type NewDocument,
  type PluginHost,
  SEVERITIES,
  z,
} from '../../src/plugin/api.js';
import type { Digest, Item } from './digest.js';
import type { NotificationSettings } from './settings.js';

const Items = z.array(
  z.object({
    tenant: z.object({ slug: z.string(), name: z.string() }),
    severity: z.enum(SEVERITIES),
    code: z.string(),
    message: z.string(),
    action: z.string(),
    link: z.string().nullable(),
  }),
);

/** What a rule has for a target: the items to report, and the digest that is being sent. */
const Queue = z.object({
  /** Not in a digest yet. */
  items: Items.default([]),
  /** Further ones that are only counted. */
  more: z.int().default(0),
  /** When the last digest was composed. */
  composedAt: z.iso.datetime().nullable().default(null),
  sending: z
    .object({
      id: z.string(),
      createdAt: z.iso.datetime(),
      items: Items,
      more: z.int(),
      attempts: z.int(),
      nextAt: z.iso.datetime(),
    })
    .nullable()
    .default(null),
  sentAt: z.iso.datetime().nullable().default(null),
  /** Of the last attempt, as a sentence; null: it succeeded. */
  error: z.string().nullable().default(null),
  failingSince: z.iso.datetime().nullable().default(null),
});
export type Queue = z.output<typeof Queue>;

/** A rule and one of its targets. */
export interface QueueName {
  readonly rule: string;
  readonly target: string;
}

/** A target that is away for long gets the newest things, and the number of the others. */
const MAX_ITEMS = 100;
/** Of one text in an item; documents have a limit. */
const MAX_TEXT = 1_000;
/** At most one digest per rule and hour. */
const DIGEST_MS = 3_600_000;
/** Of a queue that nothing was written to, such as one of a rule that no longer exists. */
const KEPT_MS = 90 * 86_400_000;
/** Before each further attempt; the last one repeats for as long as the target is away. */
const RETRIES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
const JITTER = 0.2;

/** What is the same thing as long as it lasts. */
export const keyOf = ({ code, link }: Pick<Item, 'code' | 'link'>): string =>
  `${code}|${link ?? ''}`;

const keyIn = (item: Item): string => `${item.tenant.slug}|${keyOf(item)}`;

const shortened = (item: Item): Item => ({
  ...item,
  message: item.message.slice(0, MAX_TEXT),
  action: item.action.slice(0, MAX_TEXT),
});

export const pairsOf = ({ rules }: Pick<NotificationSettings, 'rules'>): readonly QueueName[] =>
  Object.entries(rules).flatMap(([rule, { targets }]) =>
    [...new Set(targets)].map((target) => ({ rule, target })),
  );

export const pendingIn = ({ items, more, sending }: Queue): number =>
  items.length + more + (sending ? sending.items.length + sending.more : 0);

/** Whether there is a digest to send at this time, or one to compose. */
const isDue = ({ sending, items, composedAt }: Queue, at: Date): boolean => {
  if (sending) return Date.parse(sending.nextAt) <= at.getTime();
  const isOver = composedAt === null || at.getTime() - Date.parse(composedAt) >= DIGEST_MS;
  return items.length > 0 && isOver;
};

/** The queues of all rules, in the database: what is in them survives a crash. */
export const createQueues = ({ collection, now }: Pick<PluginHost, 'collection' | 'now'>) => {
  const stored = () => collection('queues');
  const nameOf = ({ rule, target }: QueueName): string => `${target}/${rule}`;

  const read = async (names: readonly QueueName[]): Promise<readonly Queue[]> => {
    const found = await stored().getMany(null, names.map(nameOf));
    return names.map((name) => Queue.parse(found.get(nameOf(name))?.value ?? {}));
  };

  const document = (name: QueueName, queue: Queue): NewDocument => ({
    key: nameOf(name),
    value: queue,
    expiresAt: new Date(now().getTime() + KEPT_MS),
  });

  return {
    read,

    /** Adds items to the queues of a rule; one that waits already is replaced. */
    add: async (
      names: readonly QueueName[],
      added: readonly Item[],
      fence: Fence,
    ): Promise<void> => {
      const keys = new Set(added.map(keyIn));
      const queues = await read(names);
      const documents = queues.map((queue, index) => {
        const items = [
          ...queue.items.filter((item) => !keys.has(keyIn(item))),
          ...added.map(shortened),
        ];
        const dropped = Math.max(0, items.length - MAX_ITEMS);
        return document(names[index] as QueueName, {
          ...queue,
          items: items.slice(dropped),
          more: queue.more + dropped,
        });
      });
      await stored().put(null, documents, { fence });
    },

    /** Those with a digest to send now, in one read. */
    withDue: async (names: readonly QueueName[]): Promise<readonly QueueName[]> => {
      const queues = await read(names);
      const at = now();
      return names.filter((_, index) => isDue(queues[index] ?? Queue.parse({}), at));
    },

    /** The digest to send now, if one is due: composed and stored before its first attempt. */
    due: async (name: QueueName, fence: Fence): Promise<Digest | undefined> => {
      const [queue = Queue.parse({})] = await read([name]);
      const at = now();
      if (!isDue(queue, at)) return undefined;
      const { sending, items, more } = queue;
      if (sending) return { ...sending, rule: name.rule };
      const createdAt = at.toISOString();
      const composed = { id: randomUUID(), createdAt, items, more, attempts: 0, nextAt: createdAt };
      const next = { ...queue, items: [], more: 0, composedAt: createdAt, sending: composed };
      await stored().put(null, [document(name, next)], { fence });
      return { ...composed, rule: name.rule };
    },

    sent: async (name: QueueName, fence: Fence): Promise<void> => {
      const [queue = Queue.parse({})] = await read([name]);
      const sentAt = now().toISOString();
      const next = { ...queue, sending: null, sentAt, error: null, failingSince: null };
      await stored().put(null, [document(name, next)], { fence });
    },

    /** Resolves with whether it is the first failure after a success. */
    failed: async (
      name: QueueName,
      { reason, waitMs = 0 }: { readonly reason: string; readonly waitMs?: number },
      fence: Fence,
    ): Promise<boolean> => {
      const [queue = Queue.parse({})] = await read([name]);
      const { sending, failingSince } = queue;
      if (!sending) return false;
      const at = now();
      const step = RETRIES_MS[Math.min(sending.attempts, RETRIES_MS.length - 1)] ?? 0;
      const pause = Math.max(waitMs, step * (1 - JITTER + 2 * JITTER * Math.random()));
      const nextAt = new Date(at.getTime() + pause).toISOString();
      const next = {
        ...queue,
        sending: { ...sending, attempts: sending.attempts + 1, nextAt },
        error: reason,
        failingSince: failingSince ?? at.toISOString(),
      };
      await stored().put(null, [document(name, next)], { fence });
      return failingSince === null;
    },
  };
};

export type Queues = ReturnType<typeof createQueues>;
