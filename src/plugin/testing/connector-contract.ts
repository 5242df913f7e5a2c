import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { z } from 'zod';
import { isSecretName } from '../../../config/sensitive-names.js';
import {
  type Connector,
  type DeltaSupport,
  type ReadMessage,
  type ReadRequest,
  SourceError,
} from '../contract/connector-contract.js';
import type { ContractCase } from './plugin-contract.js';
import { startTestConnector, type TestConnector } from './test-connector.js';
import { textOfLine } from './test-log.js';

type MaybePromise<Value> = Value | Promise<Value>;

/** Puts the source back as it was. */
export type Undo = () => MaybePromise<unknown>;

/**
 * What the suite has to know about a connector and its source: a real server, or one that is built from
 * the vendor's description. The source holds at least three records, all of them valid, and changes
 * only by these functions. A part without its function has no case.
 */
export interface ConnectorContractOptions {
  /** Valid settings, as in the configuration; called when the source runs. */
  readonly settings: () => MaybePromise<unknown>;
  /** Settings whose credentials the source refuses. Absent: the source has no credentials. */
  readonly badSettings?: () => MaybePromise<unknown>;
  /** How many sign-ins or credentials the source has received so far. */
  readonly signIns?: () => MaybePromise<number>;
  /** The addresses that it may reach; those of this machine if absent. */
  readonly allow?: readonly string[];
  /** A PEM file of further authorities. */
  readonly ca?: () => MaybePromise<string>;
  /** The ids of all records. Absent: those of the first read. */
  readonly ids?: readonly string[];
  /** Default: 2. */
  readonly pageSize?: number;
  /**
   * False: a read cannot continue where another one stopped, because the source answers everything at
   * once, or its pages belong to one connection. Default: true.
   */
  readonly canContinue?: boolean;
  /** Over HTTP: the next request, and no other, gets 429 with this `Retry-After`. */
  readonly limitOnce?: (retryAfter: string) => MaybePromise<unknown>;
  /**
   * Ways in which the source breaks: a cut page, a status 500 after the first page, a changed form. Each
   * must end the read with a SourceError.
   */
  readonly breakages?: Readonly<Record<string, () => MaybePromise<Undo>>>;
  /** From now on the source accepts requests and sends nothing. */
  readonly hang?: () => MaybePromise<Undo>;
  /** Changes the source; required if the connector has deltas. */
  readonly change?: () => MaybePromise<SourceChange>;
}

/** A change of the source. */
export interface SourceChange {
  /** The ids of the records that a delta must contain. */
  readonly changed: readonly string[];
  /** The ids of the records that are gone. */
  readonly deleted?: readonly string[];
  readonly undo: Undo;
}

const SENTENCE = /^\p{Lu}.*[.]$/su;

/** A started connector of one case, and what the suite knows about it. */
interface Tried extends TestConnector {
  readonly connector: Connector;
  readonly options: ConnectorContractOptions;
  /** Reads everything. */
  readonly full: () => Promise<readonly ReadMessage[]>;
  /** Starts it again, as after a crash. */
  readonly restart: () => Promise<TestConnector>;
}

interface Requirement {
  readonly title: string;
  readonly hold: (tried: Tried) => MaybePromise<void>;
}

/**
 * The requirements on every connector, as cases for a test runner. What the host refuses to start, such
 * as settings that are not strict, meets none of them.
 *
 * @example
 * for (const { title, run } of runConnectorContract(bamboo, { settings: () => ({ url }) }))
 *   it(title, run);
 */
export const runConnectorContract = (
  connector: Connector,
  options: ConnectorContractOptions,
): readonly ContractCase[] => {
  const { pageSize = 2, badSettings, breakages = {}, limitOnce, hang } = options;

  const start = async (settings: unknown, state?: TestConnector['state']): Promise<TestConnector> =>
    startTestConnector(connector, {
      settings,
      pageSize,
      ...(options.allow && { allow: options.allow }),
      ...(options.ca && { ca: await options.ca() }),
      ...(state && { state: new Map(state) }),
    });

  /** Runs the work on a started connector, and then looks for secrets in what it logged. */
  const runOn = async ({ hold }: Requirement): Promise<void> => {
    const source = await start(await options.settings());
    const full = async () => {
      const messages = await source.readAll();
      requireComplete(messages);
      return messages;
    };
    const restart = async () => start(await options.settings(), source.state);
    try {
      await hold({ ...source, connector, options, full, restart });
    } catch (error) {
      requireNoSecret(source, inspect(error, { depth: 8 }), 'an error');
      throw error;
    } finally {
      await source.stop();
      requireQuiet(source);
    }
  };

  const requirements = [
    ...DECLARATIONS,
    ...READS,
    ...(limitOnce ? Object.entries(RETRY_AFTER).map(requirementOfLimit) : []),
    ...Object.entries(breakages).map(requirementOfBreakage),
    ...(hang ? [requirementOfHang] : []),
    ...(connector.deltas ? requirementsOfDeltas(connector.deltas) : []),
  ];
  return [
    ...requirements.map((one) => ({ title: one.title, run: () => runOn(one) })),
    ...(badSettings
      ? [
          {
            title: 'reports wrong credentials, and does not try them again',
            run: async () => requireRefusal(() => start(badSettings()), options),
          },
        ]
      : []),
  ];
};

const DECLARATIONS: readonly Requirement[] = [
  {
    title: 'declares what the host accepts',
    hold: ({ connector: { description, mapping } }) => {
      assert.match(description, SENTENCE, 'the description is no sentence');
      assert.ok(mapping.userName, 'the mapping has no rule for userName');
    },
  },
  {
    title: 'has settings that are documented, their secrets declared',
    hold: ({ connector: { settings = z.strictObject({}) } }) => {
      const schema = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const text = JSON.stringify(property);
        assert.ok(text.includes('"description"'), `the setting "${name}" has no description`);
        if (isSecretName(name))
          assert.ok(text.includes('"writeOnly":true'), `"${name}" is no secretField()`);
      }
    },
  },
];

const READS: readonly Requirement[] = [
  {
    title: 'checks a source that it can read',
    hold: async ({ check }) => {
      const result = await check(new AbortController().signal);
      assert.deepEqual(result, { ok: true, message: result.message });
      assert.match(result.message, SENTENCE, 'the message is no sentence');
    },
  },
  {
    title: 'reads everybody, each once, and says that it is complete',
    hold: async ({ full, options }) => {
      const messages = await full();
      const ids = idsOf(messages);
      assert.deepEqual(messages.filter(isOf('recordError')), [], 'records do not match `record`');
      assert.deepEqual(messages.filter(isOf('tombstone')), [], 'a full read yields no tombstone');
      assert.ok(ids.length >= 3, 'the source of the suite needs at least three records');
      assert.deepEqual([...new Set(ids)].length, ids.length, 'an id comes twice');
      if (options.ids) assert.deepEqual(ids.toSorted(), options.ids.toSorted());
    },
  },
  {
    title: 'reads an unchanged source twice with the same result',
    hold: async ({ full }) => {
      assert.deepEqual(recordsOf(await full()), recordsOf(await full()));
    },
  },
  {
    title: 'continues after a crash at any checkpoint with the same result',
    hold: async (source) => {
      const { full, options, restart } = source;
      const messages = await full();
      const whole = recordsOf(messages);
      const checkpoints = messages.filter(isOf('checkpoint')).length;
      assert.ok(
        checkpoints > 0 || options.canContinue === false,
        'a read of several pages has no checkpoint, so that a crash starts it again',
      );
      for (let kill = 0; kill <= checkpoints; kill += 1) {
        const { messages: before, cursor } = await readUntilCheckpoint(source, kill);
        const restarted = await restart();
        try {
          const isResumed = cursor !== null;
          const after = await restarted.readAll({ cursor, isResumed });
          requireComplete(after);
          const both = { ...recordsOf(before), ...recordsOf(after) };
          assert.deepEqual(both, whole, `after checkpoint ${kill} of ${checkpoints}`);
        } finally {
          await restarted.stop();
        }
      }
    },
  },
  {
    title: 'reads single people by id',
    hold: async ({ full, readAll }) => {
      const [id = ''] = idsOf(await full());
      const messages = await readAll({ ids: [id] });
      assert.deepEqual(idsOf(messages), [id]);
      assert.deepEqual(messages.filter(isOf('tombstone')), [], 'tombstones of other people');
    },
  },
  {
    title: 'ends within a second if it is aborted',
    hold: (source) => requireEnd(source, (messages) => messages.next()),
  },
];

/** Aborts while it reads on, after `begin`: it must end before the host ends it. */
const requireEnd = async (
  { read, request, hasHung }: Tried,
  begin: (messages: AsyncIterator<ReadMessage>) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> => {
  const abort = new AbortController();
  const messages = read(request({ signal: abort.signal }))[Symbol.asyncIterator]();
  await begin(messages);
  const reading = (async () => {
    // Only what comes after the abort counts.
    for (;;) {
      const next = await messages.next();
      if (next.done || abort.signal.aborted) return;
    }
  })();
  abort.abort(new Error('The run was ended.'));
  await reading.catch(() => undefined);
  assert.ok(!hasHung(), 'it ignored the signal');
};

const requirementOfHang: Requirement = {
  title: 'ends within a second if it is aborted while the source hangs',
  hold: async (source) => {
    const undo = await source.options.hang?.();
    try {
      await requireEnd(source);
    } finally {
      await undo?.();
    }
  },
};

const RETRY_AFTER_S = 7;
const RETRY_AFTER = {
  seconds: () => String(RETRY_AFTER_S),
  'a date': (now: Date) => new Date(now.getTime() + RETRY_AFTER_S * 1_000).toUTCString(),
};

const requirementOfLimit = ([what, valueOf]: [string, (now: Date) => string]): Requirement => ({
  title: `waits as long as a source says in Retry-After (${what})`,
  hold: async ({ clock, full, options }) => {
    const whole = recordsOf(await full());
    const paused = clock.pauses.length;
    await options.limitOnce?.(valueOf(clock.now()));
    assert.deepEqual(recordsOf(await full()), whole);
    const waited = clock.pauses.slice(paused).reduce((sum, ms) => sum + ms, 0);
    // A date has no milliseconds.
    const least = (RETRY_AFTER_S - 1) * 1_000;
    assert.ok(waited >= least, `it waited ${waited} ms`);
  },
});

const requirementOfBreakage = ([what, breakSource]: [
  string,
  () => MaybePromise<Undo>,
]): Requirement => ({
  title: `never says that it is complete: ${what}`,
  hold: async ({ full, readAll }) => {
    await full();
    const undo = await breakSource();
    try {
      // What follows `complete` is not read, so that such a read would not fail.
      const error = await failureOf(readAll());
      assert.match(error.message, SENTENCE, 'the message is no sentence');
    } finally {
      await undo();
    }
    await full();
  },
});

const requirementsOfDeltas = ({ reportsDeletions }: DeltaSupport): readonly Requirement[] => [
  {
    title: 'reads no person as deleted in a delta of an unchanged source',
    hold: async ({ full, readAll }) => {
      const { cursor } = requireComplete(await full());
      const delta = await readAll({ mode: 'delta', cursor });
      requireComplete(delta);
      assert.deepEqual(delta.filter(isOf('tombstone')), []);
    },
  },
  {
    title: 'reads in a delta what has changed',
    hold: async ({ full, readAll, options: { change } }) => {
      assert.ok(change, 'the suite needs `change` for a connector with deltas');
      const { cursor } = requireComplete(await full());
      const { changed, deleted = [], undo } = await change();
      try {
        const delta = await readAll({ mode: 'delta', cursor });
        requireComplete(delta);
        const ids = idsOf(delta);
        const missed = changed.filter((id) => !ids.includes(id));
        assert.deepEqual(missed, [], 'changed records are missing');
        const gone = delta.flatMap((message) => (message.type === 'tombstone' ? message.id : []));
        assert.deepEqual(gone, reportsDeletions ? deleted : []);
      } finally {
        await undo();
      }
    },
  },
];

/** With credentials that the source refuses. */
const requireRefusal = async (
  start: () => Promise<TestConnector>,
  { signIns }: ConnectorContractOptions,
): Promise<void> => {
  let source: TestConnector;
  try {
    source = await start();
  } catch (error) {
    // A connector may sign in when it starts.
    assert.ok(error instanceof SourceError, 'the start failed without a SourceError');
    assert.equal(error.kind, 'auth');
    return;
  }
  const before = (await signIns?.()) ?? 0;
  const result = await source.check(new AbortController().signal);
  const after = (await signIns?.()) ?? 0;
  assert.equal(result.ok ? 'ok' : result.kind, 'auth');
  if (signIns) assert.equal(after - before, 1, 'attempts to sign in');
  const error = await failureOf(source.readAll());
  assert.equal(error.kind, 'auth');
  await source.stop();
  requireNoSecret(source, `${result.message} ${error.message}`, 'a message');
  requireQuiet(source);
};

const isOf =
  (type: ReadMessage['type']) =>
  (message: ReadMessage): boolean =>
    message.type === type;

const idsOf = (messages: readonly ReadMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.type === 'record' ? [message.id] : []));

const recordsOf = (messages: readonly ReadMessage[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    messages.flatMap((message) => (message.type === 'record' ? [[message.id, message.data]] : [])),
  );

const requireComplete = (messages: readonly ReadMessage[]) => {
  const last = messages.at(-1);
  assert.equal(last?.type, 'complete', 'the read did not end with `complete`');
  return last;
};

/** The messages until a checkpoint, by its number from 1, and its cursor; 0: the start. */
const readUntilCheckpoint = async ({ read, request }: Tried, number: number) => {
  const messages: ReadMessage[] = [];
  let passed = 0;
  if (number > 0)
    for await (const message of read(request())) {
      messages.push(message);
      if (message.type !== 'checkpoint') continue;
      passed += 1;
      // Stored, so that nothing of it is kept but its JSON.
      if (passed === number)
        return {
          messages,
          cursor: JSON.parse(JSON.stringify(message.cursor)) as ReadRequest['cursor'],
        };
    }
  return { messages: [], cursor: null };
};

const failureOf = async (work: Promise<unknown>): Promise<SourceError> => {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof SourceError, `it failed without a SourceError: ${String(error)}`);
    return error;
  }
  return assert.fail('it did not fail');
};

const requireNoSecret = ({ secrets }: TestConnector, text: string, where: string): void => {
  for (const secret of secrets)
    assert.ok(!text.includes(secret), `a secret of the settings stands in ${where}`);
};

const requireQuiet = (source: TestConnector): void => {
  for (const line of source.log)
    requireNoSecret(source, textOfLine(line), `the log line "${line.message}"`);
};
