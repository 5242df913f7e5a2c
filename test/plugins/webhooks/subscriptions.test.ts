import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhooks } from '../../../plugins/webhooks/index.js';
import { EVENT_NAMES, type EventName } from '../../../src/domain/events.js';
import { wants } from '../../../src/plugin/stream/lane.js';
import { SAMPLE_TENANT_ID, startTestHost, type TestHost } from '../../../src/plugin/testing.js';

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost(webhooks);
});
afterEach(() => host.stop());

const register = async (events: readonly string[]): Promise<string> => {
  const body = { url: 'https://hook.test/', events };
  const { body: created } = await host.call('createWebhook', { body });
  return (created as { readonly id: string }).id;
};

const update = (id: string, body: object) => host.call('updateWebhook', { params: { id }, body });

/** The keys that want this event at this position. */
const wanting = async (name: EventName, seq = 1): Promise<readonly string[]> => {
  const subscriptions = await host.subscriber!.subscriptions(SAMPLE_TENANT_ID);
  return subscriptions.filter((one) => wants(one, { name, seq })).map(({ key }) => key);
};

describe('the subscriptions of webhooks', () => {
  it('want the events of the registration, families and all', async () => {
    const rooms = await register(['room.*']);
    const created = await register(['user.created', 'user.*']);
    const all = await register(['*']);
    for (const name of EVENT_NAMES) {
      const keys = [
        ...(name.startsWith('room.') ? [`${rooms}:1`] : []),
        ...(name.startsWith('user.') ? [`${created}:1`] : []),
        `${all}:1`,
      ];
      expect(await wanting(name)).toEqual(keys);
    }
  });

  it('are those of active registrations, under a new key after each change of status', async () => {
    const id = await register(['*']);
    await update(id, { status: 'disabled' });
    expect(await wanting('user.created')).toEqual([]);
    await update(id, { status: 'active' });
    expect(await wanting('user.created')).toEqual([`${id}:3`]);
  });
});
