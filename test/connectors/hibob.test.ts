import { afterEach, describe, expect, it } from 'vitest';
import fixture from '../../connectors/hibob/fixtures/people.json' with { type: 'json' };
import hibob from '../../connectors/hibob/index.js';
import { type BobPerson, startHiBob } from './hibob-server.js';
import { recordsOf, startSource } from './start-source.js';
import { tooMany } from './vendor-server.js';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const start = async (people: readonly BobPerson[] = fixture, more: object = {}) => {
  const server = await startHiBob(people);
  stops.push(server.stop);
  const { serviceUserId, token } = server.settings;
  const settings = { serviceUserId, token, baseUrl: `${server.url}/v1`, ...more };
  return { server, source: await startSource(hibob, settings) };
};

const ADA = '3332883884017713938';
const GRACE = '3332883884017713999';
const ALAN = '3332883884017714000';
const signal = new AbortController().signal;

describe('a read', () => {
  it('yields everybody in one request, former employees included', async () => {
    const { source, server } = await start();
    const records = recordsOf(await source.readAll());
    expect([...records.keys()]).toEqual([ADA, GRACE, ALAN]);
    expect(server.requests).toHaveLength(1);
    for (const record of records.values())
      expect(hibob.record.safeParse(record).success).toBe(true);
  });

  it('reads fields in each of the forms that Bob sends', async () => {
    const { source } = await start();
    const records = recordsOf(await source.readAll());
    expect(records.get(ADA)).toMatchObject({
      'root.email': 'Ada.Lovelace@example.com',
      'work.title': '253271839',
      'text.work.title': 'Dispatcher',
      'work.manager': GRACE,
      'internal.terminationDate': null,
    });
    expect(records.get(GRACE)).toMatchObject({
      'root.email': 'grace.hopper@example.com',
      'work.startDate': '2015-01-05',
      'text.work.department': 'Operations',
      'internal.lifecycleStatus': 'employed',
    });
    expect(records.get(ALAN)).toMatchObject({
      'root.surname': 'Turing',
      'internal.terminationDate': '2026-03-31',
    });
  });

  it('leaves out former employees if showInactive is off', async () => {
    const { source } = await start(fixture, { showInactive: false });
    expect([...recordsOf(await source.readAll()).keys()]).toEqual([ADA, GRACE]);
  });

  it('is complete and empty for a company without people', async () => {
    const { source } = await start([]);
    expect(await source.readAll()).toEqual([{ type: 'complete', cursor: null }]);
  });

  it('does not complete if Bob leaves out a required field of everybody', async () => {
    const { source, server } = await start(fixture.slice(0, 1));
    server.settings.hidden.add('root.email');
    await expect(source.readAll()).rejects.toMatchObject({
      kind: 'permission',
      message: expect.stringContaining('root.email') as string,
    });
  });

  it('reports a person without an id', async () => {
    const { source } = await start([
      ...fixture,
      { form: 'nested', fields: { 'root.email': 'nobody@example.com' } },
    ]);
    expect(await source.readAll()).toContainEqual({
      type: 'recordError',
      message: expect.stringContaining('has no id') as string,
    });
  });

  it('picks single people', async () => {
    const { source } = await start();
    expect(await source.readAll({ ids: [GRACE, '1'] })).toMatchObject([
      { type: 'record', id: GRACE },
      { type: 'recordError', id: '1' },
      { type: 'complete' },
    ]);
  });
});

it('waits until the rate limit resets', async () => {
  const { source, server } = await start();
  const reset = Date.parse('2026-11-22T12:00:42Z') / 1_000;
  server.interrupt(tooMany({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }));
  expect(recordsOf(await source.readAll()).size).toBe(3);
  expect(source.clock.pauses).toEqual([42_000]);
});

describe('the check', () => {
  it('finds people and their fields', async () => {
    const { source } = await start();
    expect(await source.check(signal)).toEqual({
      ok: true,
      message: 'HiBob lists people with 14 fields.',
    });
  });

  it('fails if a required field is hidden', async () => {
    const { source, server } = await start();
    server.settings.hidden.add('internal.lifecycleStatus');
    expect(await source.check(signal)).toMatchObject({ ok: false, kind: 'permission' });
  });
});

it('lists the fields', async () => {
  const { source } = await start();
  expect(await source.discover!(signal)).toEqual([
    { path: 'work.title', title: 'Job title', type: 'list' },
  ]);
});
