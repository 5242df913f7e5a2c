import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandLogQuery, LogPosition } from '../../../src/ports/command-log.js';
import type { CommandId, TenantId } from '../../../src/domain/kernel/ids.js';
import type { CommandLogEntry } from '../../../src/pipeline/commit-store.js';
import { actorKey, requestKey, subjectKey } from '../../../src/pipeline/log/log-keys.js';
import { type Collections, collectionsOf } from '../../../src/store/tables/collections.js';
import {
  type CommandLogDocument,
  toCommandLogDocument,
} from '../../../src/store/tables/command-log.js';
import { mongoCommandLogReader } from '../../../src/store/read/command-log-reader.js';
import { idOf, NOW, TENANT_ID } from '../../support/builders.js';
import { useDatabase } from '../../support/core.js';

const database = useDatabase();
const DAY = 86_400_000;
let collections: Collections;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
});

const line = (number: number, more: Partial<CommandLogEntry> = {}): CommandLogDocument =>
  toCommandLogDocument(
    {
      id: idOf<CommandId>(number),
      tenantId: TENANT_ID,
      // Three at each time, like the lines of one commit.
      at: new Date(NOW.getTime() + Math.floor(number / 3) * 1_000),
      actor: 'operator:admin-token',
      actorName: 'admin-token',
      source: 'scim',
      type: 'user.update',
      subject: { kind: 'user', id: idOf(number % 2), name: `user${number % 2}@example.com` },
      affected: [],
      affectedCount: 0,
      changes: [],
      changeCount: 0,
      keys: [
        subjectKey(idOf(number % 2)),
        actorKey('operator:admin-token'),
        requestKey(`request-${Math.floor(number / 4)}`),
      ],
      outcome: 'applied',
      refusal: null,
      events: null,
      deliveries: 0,
      durationMs: 1,
      requestId: `request-${Math.floor(number / 4)}`,
      ...more,
    },
    DAY,
  );

const COUNT = 40;

/** All lines, page by page, and the number of pages. */
const readAll = async (query: Omit<CommandLogQuery, 'limit'>, maxExamined: number) => {
  const reader = mongoCommandLogReader(collections, maxExamined);
  const found: string[] = [];
  let pages = 0;
  for (let after: LogPosition | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await reader.page(TENANT_ID, { ...query, limit: 3, ...(after && { after }) });
    found.push(...page.entries.map(({ id }) => id));
    after = page.next;
    pages += 1;
  }
  return { found, pages };
};

const newestFirst = (numbers: readonly number[]): readonly string[] =>
  [...numbers].sort((one, other) => other - one).map((number) => idOf(number));

describe('the provisioning log in the database', () => {
  beforeAll(async () => {
    const { commandLog } = collections;
    const numbers = Array.from({ length: COUNT }, (_, at) => at);
    await commandLog.insertMany([
      ...numbers.map((number) =>
        line(number, { type: number === 5 ? 'user.delete' : 'user.update' }),
      ),
      line(1_000, { tenantId: idOf<TenantId>(9) }),
    ]);
  });

  const all = Array.from({ length: COUNT }, (_, at) => at);
  const odd = all.filter((number) => number % 2 === 1);

  it.each([
    ['everything', {}, all],
    ['the changes of a subject', { subject: idOf(1) }, odd],
    ['a request', { requestId: 'request-2' }, [8, 9, 10, 11]],
    ['an operator', { actor: 'Admin-Token' }, all],
    ['a rare type', { type: 'user.delete' }, [5]],
    ['two conditions', { subject: idOf(1), requestId: 'request-2' }, [9, 11]],
    ['part of a name', { text: 'USER1@' }, odd],
    ['nothing', { text: 'unknown' }, []],
    [
      'a window',
      { since: new Date(NOW.getTime() + 1_000), until: new Date(NOW.getTime() + 3_000) },
      [3, 4, 5, 6, 7, 8],
    ],
  ] as readonly [string, Omit<CommandLogQuery, 'limit'>, readonly number[]][])(
    'is read completely, in order and without duplicates: %s',
    async (_what, query, expected) => {
      for (const maxExamined of [3, 7, 1_000])
        expect((await readAll(query, maxExamined)).found).toEqual(newestFirst(expected));
    },
  );

  it('examines a bounded number of lines per page', async () => {
    const { found, pages } = await readAll({ type: 'user.delete' }, 4);
    expect(found).toEqual([idOf(5)]);
    expect(pages).toBe(COUNT / 4 + 1);
  });
});
