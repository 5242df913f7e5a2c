import { describe, expect, it } from 'vitest';
import { planInWords, planPage } from '../../../plugins/connectors/operate/plan-html.js';
import { ItemView, RunView } from '../../../plugins/connectors/operate/views.js';

const [RUN] = RunView.meta()?.['examples'] as readonly RunView[];
const [ITEM] = ItemView.meta()?.['examples'] as readonly ItemView[];
if (!RUN || !ITEM) throw new Error('The views have no examples.');

const item = (more: Partial<ItemView>): ItemView => ({ ...ITEM, ...more });

describe('the page of a plan', () => {
  const run: RunView = { ...RUN, planned: { create: 1, update: 3, deactivate: 1 }, unchanged: 40 };

  it('begins with a summary in words', () => {
    const words =
      'The connector bamboo-eu read the source of acme: 1 person will get an account. 3 people will ' +
      'be changed. 1 person will lose their access. 40 people stay as they are.';
    expect(planInWords(run)).toBe(words);
    expect(planInWords({ ...run, planned: { touch: 2 } })).toContain('Nobody is changed.');
    expect(planPage(run, [])).toContain(`<p>${words}</p>`);
  });

  it('has who is matched, new and only here, of a first plan', () => {
    const first = {
      ...{ matched: 388, new: 12, only_here: 2 },
      only_here_users: [{ id: 'u-1', name: '<Ann>' }],
    };
    const page = planPage({ ...run, plan: RUN.plan && { ...RUN.plan, first } }, []);
    expect(page).toContain('388 people matched with users that exist, 12 new, 2 only here.');
    expect(page).toContain('Runs of this connector leave them alone.');
    expect(page).toContain('<ul><li>&lt;Ann&gt;</li></ul>');
    expect(page).toContain('The first 1 of 2 are listed.');
    expect(planPage(run, [])).not.toContain('First plan');
  });

  it('has people in groups, each with a box that hides it without a script', () => {
    const page = planPage(run, [
      item({ name: 'Ann', kind: 'deactivate', groups: [] }),
      item({ name: 'Bea', kind: 'create' }),
      item({ name: 'Cat', changes: [] }),
      item({ name: '<Dan>' }),
      item({ name: 'Eve', warnings: ['Two groups have this name.'] }),
    ]);
    const sections = [...page.matchAll(/<section id="([a-z]+)">(.*?)<\/section>/gs)];
    expect(
      sections.map(([, id, text = '']) => [
        id,
        [...text.matchAll(/<td>([^<]*)<br><small>/g)].map((m) => m[1]),
      ]),
    ).toEqual([
      ['problems', ['Eve']],
      ['leavers', ['Ann']],
      ['joiners', ['Bea']],
      ['memberships', ['Cat']],
      ['movers', ['&lt;Dan&gt;']],
    ]);
    for (const [, id = ''] of sections) {
      expect(page).toContain(`<input type="checkbox" id="show-${id}" checked>`);
      expect(page).toContain(`#show-${id}:not(:checked)~#${id}{display:none}`);
    }
    expect(page).not.toMatch(/<script|src=|href=/);
  });
});
