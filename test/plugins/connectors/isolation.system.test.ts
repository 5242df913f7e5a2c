import { afterEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/domain/kernel/json.js';
import * as api from '../../../src/plugin/api.js';
import { systemClock, createSourceClock } from '../../../src/plugin/contract/clock.js';
import type { Connector, ReadMessage } from '../../../src/plugin/contract/connector-contract.js';
import {
  type Started,
  startConnector,
  type StartParts,
} from '../../../src/plugin/connector-runtime/open-connector.js';
import { CONNECTOR_PROGRAM } from '../../../src/start/load-extensions.js';
import { startInProcess } from '../../../src/plugin/connector-runtime/process-connector.js';

const URL_OF_IT = new URL('./fixtures/unruly.mjs', import.meta.url).href;
const TOKEN = 'token-of-the-test';

let running: Started | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

const start = async (mode: string, isolation: 'none' | 'process', idleMs?: number) => {
  const { default: create } = (await import(URL_OF_IT)) as {
    readonly default: (contract: typeof api) => Connector;
  };
  const connector = create(api);
  const lines: string[] = [];
  const state = new Map<string, JsonValue>();
  const write = (fields: object, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const parts: StartParts = {
    name: 'unruly',
    connector,
    settings: connector.settings?.parse({ mode, token: TOKEN }),
    secrets: () => [TOKEN],
    allow: [],
    log: { debug: write, info: write, warn: write, error: write },
    state: {
      get: (key) => Promise.resolve(state.get(key)),
      set: (key, value) => {
        state.set(key, value);
        return Promise.resolve();
      },
    },
    metrics: { gauge: () => undefined, counter: () => () => undefined },
    sourceClock: createSourceClock(() => new Date()),
    clock: systemClock,
    resolve: () => Promise.resolve([]),
    userAgent: 'test',
  };
  running =
    isolation === 'process'
      ? await startInProcess(
          parts,
          { use: './unruly.mjs', url: URL_OF_IT, program: CONNECTOR_PROGRAM },
          idleMs,
        )
      : await startConnector(parts);
  return { started: running, lines, state };
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const read = async (
  { open }: Started,
  signal = new AbortController().signal,
  messages: ReadMessage[] = [],
) => {
  const request = { mode: 'full', cursor: null, isResumed: false, pageSize: 100, signal } as const;
  let error: unknown;
  try {
    for await (const message of open.read(request)) messages.push(message);
  } catch (thrown) {
    error = thrown;
  }
  return { messages, error: error as api.SourceError | undefined };
};

describe.each(['none', 'process'] as const)('with isolation: %s', (isolation) => {
  it('a connector is read to the end', async () => {
    const { started } = await start('none', isolation);
    const { messages, error } = await read(started);
    expect(error).toBeUndefined();
    expect(messages).toHaveLength(452);
    // Compared with `record` exactly once: its length, not the length of a number.
    expect(messages[0]).toEqual({ type: 'record', id: 'p0', data: { name: 3 } });
    expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null, total: 450 });
  });

  it('it keeps its state, and logs no secret', async () => {
    const { started, lines, state } = await start('none', isolation);
    expect(await started.open.check(new AbortController().signal)).toMatchObject({ ok: true });
    expect(state.get('checked')).toMatchObject({ times: 1 });
    expect(lines.join('\n')).toContain('checked 1 {"token":"[secret]"}');
  });

  it('an error of its start is a sentence', async () => {
    await expect(start('throw on start', isolation)).rejects.toMatchObject({
      kind: 'schema',
      message: 'The connector failed: It cannot start.',
    });
  });

  it.each([
    ['long', 'The record has more than 1 MiB.'],
    ['many', 'The record has more than 10,000 values.'],
    ['deep', 'The record is nested deeper than 32 levels.'],
  ])('a record that is too large is put aside alone: %s', async (mode, message) => {
    const { started } = await start(mode, isolation);
    const { messages, error } = await read(started);
    expect(error).toBeUndefined();
    expect(messages.filter(({ type }) => type === 'recordError')).toEqual([
      { type: 'recordError', id: 'large', message },
    ]);
    expect(messages.at(-1)).toMatchObject({ type: 'complete', total: 450 });
  });

  it('a malformed message ends the read', async () => {
    const { started } = await start('malformed', isolation);
    const { messages, error } = await read(started);
    expect(error?.kind).toBe('schema');
    expect(messages.some(({ type }) => type === 'complete')).toBe(false);
  });

  it('a read without `complete` just ends', async () => {
    const { started } = await start('end', isolation);
    const { messages, error } = await read(started);
    expect([messages.length, messages.at(-1)?.type, error]).toEqual([11, 'record', undefined]);
  });

  it.each(['wait', 'hang'])('an abort ends a read within a second: %s', async (mode) => {
    const { started } = await start(mode, isolation);
    const abort = new AbortController();
    const messages: ReadMessage[] = [];
    const reading = read(started, abort.signal, messages);
    await expect.poll(() => messages.length).toBe(11);
    abort.abort(new Error('enough'));
    await reading;
    expect(started.isOver()).toBe(mode === 'hang');
  });
});

describe('with isolation: process', () => {
  it('an endless loop is ended, and the gateway keeps running', async () => {
    const { started } = await start('loop', 'process');
    const { error } = await read(started);
    expect(error).toMatchObject({ kind: 'network' });
    expect(error?.message).toContain('did not respond for 10 s');
    expect(started.isOver()).toBe(true);
  });

  it.each(['memory', 'buffer'])('too much memory ends the connector only: %s', async (mode) => {
    const { started } = await start(mode, 'process');
    const { error } = await read(started);
    expect(error?.message).toContain('MiB of memory');
  });

  it('`process.exit` ends only the connector', async () => {
    const { started } = await start('exit', 'process');
    expect((await read(started)).error).toMatchObject({
      message: "The connector's process ended.",
    });
  });

  it.each(['level', 'null'])('a message of no known form ends the connector: %s', async (mode) => {
    const { started } = await start(mode, 'process');
    expect((await read(started)).error).toMatchObject({
      kind: 'schema',
      message: "The connector's process sent a message of no known form.",
    });
  });

  it('it gets only the variables for time zone and certificates', async () => {
    const { started } = await start('none', 'process');
    const { message } = await started.open.check(new AbortController().signal);
    expect(Object.keys(process.env)).toContain('PATH');
    expect(
      message.replaceAll(/\b(TZ|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_\w+)\b,?/g, ''),
    ).toBe('The variables are .');
  });

  it('without a call it ends', async () => {
    const { started, state } = await start('none', 'process', 10);
    await expect(started.open.check(new AbortController().signal)).resolves.toMatchObject({
      ok: true,
    });
    const { pid } = state.get('checked') as { readonly pid: number };
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(started.isOver()).toBe(true);
  });
});
