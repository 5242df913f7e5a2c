import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { BEFORE_GUIDES, GUIDES, runPages, TOUR } from '../../tools/docs/run-pages.js';
import { blocksOf, isAsShown } from '../../tools/docs/shown-commands.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { createTestDatabase } from '../support/database.js';

const cleanUp = createCleanup();
afterAll(cleanUp.run);

const databases = { tour: createTestDatabase(), guides: createTestDatabase() };

const root = new URL('../../', import.meta.url);

it.each([
  ['README and the tour', 'tour', TOUR, undefined],
  ['the guides', 'guides', GUIDES, BEFORE_GUIDES],
] as const)(
  'the commands of %s print what the pages show (npm run tour writes it)',
  async (_pages, name, pages, before) => {
    const folder = await temporaryFolder(name, cleanUp);
    const place = { mongodbUri: databases[name].uri, folder, ...(before && { before }) };
    const done = await runPages(pages, place, cleanUp);
    expect(done.length).toBeGreaterThan(8);
    const wrong = done.filter((one) => one.exitCode !== 0 || !one.isAsShown);
    expect(wrong).toEqual([]);
  },
  300_000,
);

it('every guide with commands is run', () => {
  const folder = new URL('docs/guides/', root);
  const withCommands = readdirSync(folder)
    .map((name) => `docs/guides/${name}`)
    .filter((page) => blocksOf(readFileSync(new URL(page, root), 'utf8')).length > 0);
  expect(withCommands.toSorted()).toEqual(GUIDES.toSorted());
});

it.each([
  ['{"id":"dbf6146e-…"}', '{"id":"dbf6146e-1111-4222-8333-444455556666"}\n', true],
  ['a\n…\nz', 'a\nb\nc\nz', true],
  ['at 2026-11-28T01:14:59Z', 'at 2027-01-02T11:22:33.444Z', true],
  ['a', 'a b', false],
  ['1.0', '1x0', false],
])('the page shows %j; printed is %j: %s', (shown, printed, matches) => {
  expect(isAsShown(shown, printed)).toBe(matches);
});
