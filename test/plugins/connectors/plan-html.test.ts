import { describe, expect, it } from 'vitest';
import { planPage } from '../../../plugins/connectors/operate/plan-html.js';
import { ItemView, RunView } from '../../../plugins/connectors/operate/views.js';
import { apiExample } from '../../support/api-example.js';

const EXAMPLE = apiExample(RunView);
const RUN: RunView = { ...EXAMPLE, plan: EXAMPLE.plan && { ...EXAMPLE.plan, first: null } };
const ITEM = apiExample(ItemView);

const item = (more: Partial<ItemView>): ItemView => ({ ...ITEM, ...more });

describe('the page of a plan', () => {
  it('names only the people of a sentence that is opened, without a script', () => {
    const run: RunView = {
      ...RUN,
      outlook: [
        {
          ...{ when: 'now', title: 'At once' },
          lines: [
            { class: 'deactivate', count: 1, text: '1 person loses access.' },
            { class: 'update', count: 1, text: '1 person is changed.' },
            { class: null, count: 7, text: 'Seats in use: 8 before, 7 after.' },
          ],
        },
      ],
    };
    const page = planPage(run, [
      item({ name: '<Dan>' }),
      item({ name: 'Ann', kind: 'deactivate', class: 'deactivate', groups: [] }),
    ]);
    const sections = [...page.matchAll(/<details><summary>(.*?)<\/summary>(.*?)<\/details>/gs)];
    expect(
      sections.map(([, text, table = '']) => [
        text,
        [...table.matchAll(/<td>([^<]*)<br><small>/g)].map((match) => match[1]),
      ]),
    ).toEqual([
      ['1 person loses access.', ['Ann']],
      ['1 person is changed.', ['&lt;Dan&gt;']],
    ]);
    expect(page).toContain('<h2>At once</h2>');
    expect(page).toContain('<p>Seats in use: 8 before, 7 after.</p>');
    expect(page.replaceAll(/<details>.*?<\/details>/gs, '')).not.toContain('Ann');
    expect(page).not.toMatch(/<script|src=|href=/);
  });

  it('names who is only here, of a first plan', () => {
    const first = {
      ...{ matched: 388, new: 12, only_here: 2 },
      only_here_users: [{ id: 'u-1', name: '<Ann>' }],
    };
    const page = planPage({ ...RUN, plan: RUN.plan && { ...RUN.plan, first } }, []);
    expect(page).toMatch(/<summary>The first 1 .*<\/summary><ul>\n<li>&lt;Ann&gt;<\/li>/);
    expect(planPage(RUN, [])).not.toContain('only here');
  });
});
