import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  defineConnector,
  type ReadMessage,
  type ReadRequest,
  secretField,
  type SourceCheck,
  SourceError,
  z,
} from '../../../src/plugin/api.js';
import { runConnectorContract } from '../../../src/plugin/testing/connector-contract.js';

/** What is wrong with the connector. */
type Flaw =
  | 'none'
  | 'complete after a cut page'
  | 'an id twice'
  | 'another order of pages after a crash'
  | 'ids are ignored'
  | 'the signal is ignored'
  | 'a secret in the log'
  | 'a secret in an error'
  | 'a wrong password is tried again'
  | 'a tombstone for an unchanged record'
  | 'deltas miss a change'
  | 'a record of another form'
  | 'no checkpoints'
  | 'no sentence'
  | 'a password that is no secret';

const PASSWORD = 'correct-horse';

const source = { names: ['a', 'b', 'c', 'd', 'e'], isCut: false, changed: '', signIns: 0 };

const connectorWith = (flaw: Flaw) => {
  return defineConnector({
    apiVersion: 1,
    name: 'flawed',
    title: 'Flawed',
    description: flaw === 'no sentence' ? 'reads people' : 'Reads people.',
    triedAgainst: 'server',
    settings: z.strictObject({
      password:
        flaw === 'a password that is no secret'
          ? (z.string().describe('The password.') as never)
          : secretField().describe('The password.'),
    }),
    record: z.object({ name: z.string() }),
    deltas: { reportsDeletions: true },
    mapping: { userName: 'name' },
    start: ({ log, settings: { password } }) => {
      const signIn = () => {
        source.signIns += flaw === 'a wrong password is tried again' ? 2 : 1;
        const given = typeof password === 'string' ? password : password.reveal();
        if (flaw === 'a secret in the log') log.info({ given }, 'signing in');
        if (given === PASSWORD) return;
        throw new SourceError(
          'auth',
          `The password is wrong${flaw === 'a secret in an error' ? `: ${given}` : ''}.`,
        );
      };
      return {
        check: (): Promise<SourceCheck> => {
          signIn();
          return Promise.resolve({ ok: true, message: 'It can be read.' });
        },
        read: async function* (request: ReadRequest): AsyncGenerator<ReadMessage> {
          const { mode, cursor, isResumed, ids, pageSize, signal } = request;
          signIn();
          if (ids && flaw !== 'ids are ignored') {
            for (const id of ids) yield { type: 'record', id, data: { name: id } };
            yield { type: 'complete', cursor: null };
            return;
          }
          if (mode === 'delta') {
            if (flaw === 'a tombstone for an unchanged record')
              yield { type: 'tombstone', id: 'a' };
            if (source.changed !== '' && flaw !== 'deltas miss a change')
              yield { type: 'record', id: source.changed, data: { name: 'changed' } };
            yield { type: 'complete', cursor: 'v2' };
            return;
          }
          const skipsAfterCrash = flaw === 'another order of pages after a crash' && isResumed;
          let at = isResumed ? Number(cursor) + (skipsAfterCrash ? 1 : 0) : 0;
          while (at < source.names.length) {
            const page = source.names.slice(at, at + pageSize);
            for (const id of page) {
              await nextTurn();
              if (flaw === 'the signal is ignored' && signal.aborted)
                await new Promise(() => undefined);
              signal.throwIfAborted();
              yield {
                type: 'record',
                id: flaw === 'an id twice' ? 'a' : id,
                data: flaw === 'a record of another form' ? { title: id } : { name: id },
              };
            }
            at += page.length;
            if (source.isCut && flaw !== 'complete after a cut page')
              throw new SourceError('network', 'The page was cut.');
            if (source.isCut) break;
            if (at < source.names.length && flaw !== 'no checkpoints')
              yield { type: 'checkpoint', cursor: at };
          }
          yield { type: 'complete', cursor: 'v1' };
        },
      };
    },
  });
};

const failuresOf = async (flaw: Flaw): Promise<readonly string[]> => {
  const failed: string[] = [];
  for (const { title, run } of runConnectorContract(connectorWith(flaw), {
    settings: () => ({ password: PASSWORD }),
    badSettings: () => ({ password: 'wrong-horse' }),
    signIns: () => source.signIns,
    breakages: {
      'a page is cut': () => {
        source.isCut = true;
        return () => (source.isCut = false);
      },
    },
    change: () => {
      source.changed = 'b';
      return { changed: ['b'], undo: () => (source.changed = '') };
    },
  }))
    await run().catch(() => failed.push(title));
  return failed;
};

describe('the suite of connectors', () => {
  it('accepts one without flaws', async () => {
    expect(await failuresOf('none')).toEqual([]);
  });

  it.each<[Flaw, string]>([
    ['complete after a cut page', 'never says that it is complete: a page is cut'],
    ['an id twice', 'reads everybody, each once, and says that it is complete'],
    [
      'another order of pages after a crash',
      'continues after a crash at any checkpoint with the same result',
    ],
    ['no checkpoints', 'continues after a crash at any checkpoint with the same result'],
    ['ids are ignored', 'reads single people by id'],
    ['the signal is ignored', 'ends within a second if it is aborted'],
    ['a secret in the log', 'checks a source that it can read'],
    ['a secret in an error', 'reports wrong credentials, and does not try them again'],
    ['a wrong password is tried again', 'reports wrong credentials, and does not try them again'],
    [
      'a tombstone for an unchanged record',
      'reads no person as deleted in a delta of an unchanged source',
    ],
    ['deltas miss a change', 'reads in a delta what has changed'],
    ['a record of another form', 'reads everybody, each once, and says that it is complete'],
    ['no sentence', 'declares what the host accepts'],
    ['a password that is no secret', 'has settings that are documented, their secrets declared'],
  ])('finds: %s', async (flaw, title) => {
    expect(await failuresOf(flaw)).toContain(title);
  });
});
