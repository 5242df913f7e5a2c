import { expect, it } from 'vitest';
import { connectors } from '../../../plugins/connectors/index.js';
import { ConnectorView, ItemView, RunView } from '../../../plugins/connectors/operate/views.js';
import { tryCommand } from '../../../src/plugin/testing.js';
import { apiExample } from '../../support/api-example.js';

const RUN = apiExample(RunView);
const ITEM: ItemView = { ...apiExample(ItemView), warnings: [], outcome: 'planned' };

const plan = (
  fields: Record<string, unknown>,
  items: readonly ItemView[],
  { runs = [RUN], ...more }: { readonly runs?: (typeof RUN)[]; readonly isPage?: true } = {},
) => {
  const left = [...runs];
  return tryCommand(connectors, 'connector plan', {
    fields,
    ...more,
    respond: (_method, path) => {
      if (path.endsWith('/plan')) return { items, next: null };
      return left.length > 1 ? left.shift() : left[0];
    },
  });
};

it('escapes everything that comes from the source, and needs nothing from elsewhere', async () => {
  const evil = '<script>alert("1")</script>';
  const items = [
    {
      ...ITEM,
      name: evil,
      record: evil,
      why: evil,
      changes: [{ attribute: 'title', before: evil, after: `'${evil}'` }],
      groups: [{ op: 'add' as const, name: evil }],
      manager: evil,
      warnings: [evil],
    },
  ];
  const { result } = await plan({ run: RUN.id }, items, { isPage: true });
  const [section] = result.sections;
  const html = section && 'text' in section ? section.text : '';
  expect(html).not.toContain('<script');
  expect(html.match(/&lt;script&gt;/g)).toHaveLength(8);
  expect(html).not.toMatch(/\b(src|href)=|url\(/);
  expect(html).toContain(`approve acme bamboo-eu ${RUN.id} --plan ${RUN.plan?.digest}`);
});

it('has the commands that decide, while the run is held', async () => {
  const textsOf = async (state: RunView['state']): Promise<string> => {
    const { result } = await plan({ run: RUN.id }, [], { runs: [{ ...RUN, state }] });
    return result.sections.map((section) => ('text' in section ? section.text : '')).join('');
  };
  const commands =
    `rollgate connector approve acme bamboo-eu ${RUN.id} --plan ${RUN.plan?.digest}\n` +
    `rollgate connector reject acme bamboo-eu ${RUN.id}\n`;
  expect(await textsOf('held')).toContain(commands);
  expect(await textsOf('done')).not.toContain('rollgate connector approve');
});

it('shows who, what, before and after, and why', async () => {
  const { result } = await plan({ run: RUN.id }, [ITEM]);
  const table = result.sections.find((section) => 'rows' in section);
  expect(table && 'rows' in table ? table.rows[0] : []).toEqual([
    'update',
    '4711',
    'Ada Lovelace',
    'title: Driver → Dispatcher; joins Dispatch',
    'Joins Dispatch; changes title.',
    'planned',
  ]);
});

it('reports progress while a run lasts', async () => {
  const counts = { read: 120, staged: 120, applied: 0, failed: 0, per_second: 60 };
  const reading = { ...RUN, ...counts, state: 'reading' as const };
  const { reported, requests } = await plan({}, [ITEM], { runs: [reading, reading, RUN] });
  expect(reported).toEqual(['reading: 120 read, 120 staged, 0 applied, 0 failed, 60/s']);
  expect(requests.at(0)).toBe('POST /connectors/test-item/runs');
});

it('cancels the run in progress, and shows what it did', async () => {
  const view = { ...apiExample(ConnectorView), open_run: RUN.id };
  const cancelled = { ...RUN, state: 'cancelled' as const, message: 'Cancelled by ada.' };
  const { result, requests } = await tryCommand(connectors, 'connector cancel', {
    respond: (method) => (method === 'GET' ? view : cancelled),
  });
  expect(requests).toContain(`POST /connectors/test-item/runs/${RUN.id}/cancel`);
  expect(result).toMatchObject({ note: `Cancelled ${RUN.id}.\n`, quiet: [RUN.id] });
  expect(JSON.stringify(result.sections)).toContain('Cancelled by ada.');
});

it('waits for the end of the run that a pause cancels', async () => {
  const view = { ...apiExample(ConnectorView), open_run: RUN.id };
  const { result } = await tryCommand(connectors, 'connector pause', {
    respond: (method) => (method === 'POST' ? view : { ...RUN, state: 'cancelled' }),
  });
  expect(result.note).toBe(`Paused test-item and cancelled ${RUN.id}.\n`);
});
