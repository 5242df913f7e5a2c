import { afterAll, describe, expect, it } from 'vitest';
import rest from '../../connectors/rest/index.js';
import { connectors } from '../../plugins/connectors/index.js';
import { ConnectorOptions } from '../../plugins/connectors/options.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import { KEY, RECIPE_VENDORS, RECIPES, startRecipe } from './recipe-servers.js';
import { recordsOf, startSource } from './start-source.js';
import { tooMany } from './vendor-server.js';

it('has a server for each recipe', () => {
  expect(Object.keys(RECIPE_VENDORS)).toEqual(Object.keys(RECIPES));
});

for (const [name, { userName }] of Object.entries(RECIPE_VENDORS)) {
  const server = await startRecipe(name);
  const { people, settingsWith } = server;
  afterAll(() => server.stop());
  const { settings: _settings, use: _use, tenant: _tenant, ...options } = RECIPES[name]!;

  describe(name, () => {
    for (const { title, run } of runConnectorContract(rest, {
      settings: () => settingsWith(KEY),
      badSettings: () => settingsWith('another-key-of-someone'),
      ids: people.map(({ id }) => String(id)),
      limitOnce: (retryAfter) => server.interrupt(tooMany({ 'retry-after': retryAfter })),
      breakages: {
        'a page that is cut': () => server.always(/./, { body: '{"data": [{"id": "1"' }),
        'an error after the first page': () => {
          server.interrupt(undefined, { status: 500 });
          return () => server.interrupt();
        },
        'a page without the list': () => server.always(/./, { body: { message: 'Maintenance' } }),
      },
      change: () => ({ changed: [], undo: () => undefined }),
    }))
      it(title, run);

    it('makes users of its people', async () => {
      const source = await startSource(rest, settingsWith(KEY));
      const records = [...recordsOf(await source.readAll())];
      await source.stop();
      const parsed = { ...ConnectorOptions.parse(options), settings: {}, tenant: 'acme' };
      expect(connectors.checkConnectorOptions(parsed)).toEqual([]);
      const mapped = await connectors.mapRecords(
        { name, connector: rest, options: parsed },
        records.map(([id, data]) => ({ id, data: data as never })),
        new Date('2026-11-25T12:00:00Z'),
      );
      expect(mapped.people).toMatchObject([
        {
          attributes: {
            userName,
            externalId: String(people[0]?.['id']),
            'name.givenName': 'Ann',
            'name.familyName': 'Lee',
          },
          state: 'active',
        },
        { state: 'active' },
        { state: ['deel', 'breathe', 'humaans'].includes(name) ? 'left' : 'active' },
      ]);
    });
  });
}
