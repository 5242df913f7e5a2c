import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { buildSite, siteFolder, useDashboardGateway } from './dashboard.js';
import { eventually } from './eventually.js';
import {
  createResource,
  type TestGateway,
  type TestReceiver,
  type TestTenant,
  useReceiver,
} from './gateway.js';
import { peopleFile, type PeopleFile, somePeople } from './people-file.js';
import { USER_URN } from './scim-urns.js';

/** A gateway with its dashboard, a receiver of webhooks, and a file of people for `tenant-1`. */
export interface SettingsGateway {
  readonly gateway: TestGateway;
  readonly receiver: TestReceiver;
  readonly people: PeopleFile;
  /** Builds the site and opens the receiver; before the gateway opens. */
  readonly prepare: () => Promise<void>;
}

/** A target, and a rule for a code that no test causes. */
const notificationsTo = ({ receiver, env }: TestReceiver): Record<string, string> => ({
  ROLLGATE_NOTIFICATIONS_ALLOW: '127.0.0.1',
  ROLLGATE_NOTIFICATIONS_CA: env().ROLLGATE_WEBHOOKS_CA ?? '',
  ROLLGATE_NOTIFICATIONS_TARGETS: JSON.stringify({
    chat: { kind: 'slack', url: `${receiver().url}/chat` },
  }),
  ROLLGATE_NOTIFICATIONS_RULES: JSON.stringify({
    'held-runs': { on: ['UNUSED_*'], targets: ['chat'] },
  }),
});

/** For the calling file; `env` returns further settings. */
export const useSettingsGateway = (
  env: (databaseUri: string) => Record<string, string> = () => ({
    ROLLGATE_WEBHOOKS_RETRY: '10ms',
  }),
): SettingsGateway => {
  const folder = siteFolder();
  const people = peopleFile(mkdtempSync(join(inject('runFolder'), 'people-')), 'tenant-1', {
    schedule: '17 3 * * *',
  });
  const receiver = useReceiver();
  const gateway = useDashboardGateway(folder, (uri) => ({
    ROLLGATE_CONFIG: people.config,
    ...receiver.env(),
    ...notificationsTo(receiver),
    ...env(uri),
  }));
  const prepare = async () => {
    await buildSite(folder);
    await receiver.open();
  };
  return { gateway, receiver, people, prepare };
};

/** What the pages of settings, SMS lists and connectors show. */
export interface SettingsWorld {
  readonly webhook: string;
  readonly delivery: string;
  readonly paused: string;
  readonly smsList: string;
  readonly heldRun: string;
  readonly group: string;
  /** A captured request. */
  readonly request: string;
}

export const createSettingsWorld = async (
  { gateway, receiver, people }: SettingsGateway,
  tenant: TestTenant,
): Promise<SettingsWorld> => {
  const operator = await gateway.operator();
  const base = `/tenants/${tenant.slug}`;
  for (const [description, scopes] of [
    ['Okta', ['scim:read', 'scim:write']],
    ['Roster <b>sync</b>', ['api:sms_lists:read', 'api:sms_lists:write', 'api:rooms:read']],
    ['Okta', ['scim:read', 'scim:write']],
  ] as const)
    await operator('POST', `${base}/api-keys`, { description, scopes });

  receiver.receiver().setBehaviour({ kind: 'answer', status: 503, body: 'busy' });
  const webhook = await createResource(operator, `${base}/webhooks`, {
    url: `${receiver.receiver().url}/hooks?token=secret`,
    events: ['*'],
    description: 'Badge system',
  });
  const paused = await createResource(operator, `${base}/webhooks`, {
    url: `${receiver.receiver().url}/other`,
    events: ['user.*', 'room.member_added'],
  });
  await operator('PATCH', `${base}/webhooks/${paused}`, { status: 'disabled' });

  const smsList = await createResource(operator, `${base}/sms-lists`, {
    name: 'Night desk',
    external_id: 'roster-7',
  });
  await createResource(operator, `${base}/sms-lists`, {
    name: 'Harbour <script>',
    valid_until: '2026-01-01T00:00:00Z',
  });
  await operator('POST', `${base}/sms-lists/${smsList}/members`, {
    members: [
      { phone_number: '+493090182010', display_name: 'Ada Lovelace' },
      { phone_number: '+442079460018', valid_from: '2999-01-01T00:00:00Z' },
      { phone_number: '+12025550134', valid_until: '2026-01-01T00:00:00Z' },
    ],
  });

  const all = somePeople(10);
  const run = async (): Promise<RunView> => {
    const { body } = await operator<RunView>('POST', `${base}/connectors/hr/runs`, {});
    return eventually(async () => {
      const read = await operator<RunView>('GET', `${base}/connectors/hr/runs/${body.id}`);
      expect(['done', 'held']).toContain(read.body.state);
      return read.body;
    });
  };
  people.save([...all, { id: '9', mail: 'late@example.com', name: 'Late Starter', start: 'soon' }]);
  await run();
  const changed = { ...all[0]!, title: 'Dispatcher', team: 'Day shift' };
  people.save([
    changed,
    ...all.slice(7),
    { id: '9', mail: 'late@example.com', name: 'Late', start: 'soon' },
  ]);
  const held = await run();

  const delivery = await eventually(async () => {
    const { body } = await operator<{
      deliveries: readonly { id: string; attempts: readonly object[] }[];
    }>('GET', `${base}/webhooks/${webhook}/deliveries?state=failed`);
    expect(body.deliveries.length).toBeGreaterThan(0);
    return body.deliveries[0]!.id;
  });
  const { body: groups } = await operator<{ groups: readonly { id: string }[] }>(
    'GET',
    `${base}/groups`,
  );
  await operator('PUT', `${base}/request-capture`, { enabled: true });
  await tenant.scim('POST', '/Users', { schemas: [USER_URN], userName: '<b>unknown' });
  const request = await eventually(async () => {
    const { body } = await operator<{ requests: readonly { id: string }[] }>(
      'GET',
      `${base}/requests`,
    );
    expect(body.requests.length).toBeGreaterThan(0);
    return body.requests[0]!.id;
  });
  const group = groups.groups[0]!.id;
  return { webhook, delivery, paused, smsList, heldRun: held.id, group, request };
};
