import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { eventually } from './eventually.js';
import { createResource, type TestGateway, type TestReceiver, type TestTenant } from './gateway.js';

/** Reads a JSON file: the smallest connector. */
const CONNECTOR = `
import { readFileSync } from 'node:fs';
export default ({ defineConnector, z }) => defineConnector({
  apiVersion: 1,
  name: 'people-file',
  title: 'People in a file',
  description: 'Reads people from a file.',
  triedAgainst: 'server',
  settings: z.strictObject({ file: z.string().describe('The file.') }),
  record: z.looseObject({ mail: z.string() }),
  mapping: { userName: { path: 'mail', required: true }, email: 'mail', displayName: 'name', title: 'title' },
  lifecycle: { start: 'start', end: 'end' },
  start: ({ settings }) => {
    const people = () => JSON.parse(readFileSync(settings.file, 'utf8'));
    return {
      check: () => Promise.resolve({ ok: true, message: people().length + ' people.' }),
      read: async function* ({ ids }) {
        for (const { id, ...data } of people())
          if (!ids || ids.includes(id)) yield { type: 'record', id, data };
        yield { type: 'complete', cursor: null };
      },
    };
  },
});
`;

export interface Person {
  readonly id: string;
  readonly mail: string;
  readonly name: string;
  readonly [field: string]: string;
}

/** A file of people that the connector `hr` of a tenant reads. */
export interface PeopleFile {
  readonly config: string;
  readonly save: (people: readonly Person[]) => void;
}

export const peopleFile = (folder: string, tenant: string): PeopleFile => {
  const [file, config] = [join(folder, 'people.json'), join(folder, 'rollgate.yaml')];
  const save = (people: readonly Person[]) => writeFileSync(file, JSON.stringify(people));
  writeFileSync(join(folder, 'people-file.mjs'), CONNECTOR);
  writeFileSync(
    config,
    `connectors:
  hr:
    use: ./people-file.mjs
    tenant: ${tenant}
    schedule: { full: "17 3 * * *" }
    settings: { file: ${JSON.stringify(file)} }
    groups: [{ path: team }]
`,
  );
  save([]);
  return { config, save };
};

const NAMES = ['Mary', 'Annie', 'Joan', 'Evelyn', 'Ida', 'Jean', 'Grete', 'Hedy', 'Karen', 'Adele'];

export const somePeople = (count: number): readonly Person[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(4_700 + at),
    mail: `person-${at}@example.com`,
    name: `${NAMES[at % NAMES.length] ?? ''} Person ${at}`,
    title: 'Driver',
    team: at % 2 === 0 ? 'Night shift' : 'Day shift',
  }));

/** What the pages of settings, SMS lists and connectors show. */
export interface SettingsWorld {
  readonly webhook: string;
  readonly delivery: string;
  readonly paused: string;
  readonly smsList: string;
  readonly heldRun: string;
  readonly group: string;
}

export const createSettingsWorld = async (
  gateway: TestGateway,
  tenant: TestTenant,
  { receiver, people }: { readonly receiver: TestReceiver; readonly people: PeopleFile },
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
  return { webhook, delivery, paused, smsList, heldRun: held.id, group: groups.groups[0]!.id };
};
