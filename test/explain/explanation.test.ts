import { expect, it } from 'vitest';
import { describeExtensions } from '../../tools/shared/describe-extensions.js';
import { routeTable } from '../../src/http/resources/route-table.js';
import { explainRoom } from '../../src/explain/explain-room.js';
import { explainMissingRoom } from '../../src/explain/explain-missing.js';
import {
  type Draft,
  Explanation,
  isGiven,
  writeExplanation,
} from '../../src/explain/explanation.js';
import { otherGroup } from '../../src/explain/sentences.js';
import type { PersonFact } from '../../src/ports/tenants.js';
import { aGroup, aRoom, aTenant, aUser } from '../support/builders.js';

const DRAFT: Draft = { question: '', answer: {}, because: [], facts: [], changes: [] };

it('every remedy is a call of a route that exists', async () => {
  // Given a change for each action but those of plugins, which have their own path
  const { action } = Explanation.shape.would_change.element.shape.remedy.unwrap().shape;
  const actions = action.options.filter((one) => one !== 'plugin');
  const id = '{id}';
  const ids = { room_id: id, user_id: id, role_mapping_id: id, key_id: id };
  // When they are written
  const { would_change: changes } = writeExplanation(
    { ...DRAFT, changes: actions.map((one) => ({ text: one, remedy: { action: one, ...ids } })) },
    '{id}',
  );
  // Then each is the method and path of a route
  const extensions = await describeExtensions();
  const parts = { extensions } as unknown as Parameters<typeof routeTable>[0];
  const routes = routeTable(parts)
    .filter(({ api }) => api === 'operators')
    .map(({ method, path }) => `${method} /admin/v1${path.replaceAll(/\{\w+\}/g, id)}`);
  expect(changes.length).toBe(actions.length);
  for (const { remedy } of changes) expect(routes).toContain(`${remedy?.method} ${remedy?.path}`);
});

it('a plugin says which call it offers', () => {
  const remedy = { action: 'plugin', path: '/connectors/hr/runs', label: 'Run it' } as const;
  const { would_change: changes } = writeExplanation(
    { ...DRAFT, changes: [{ text: 'Running it.', remedy }] },
    'acme',
  );
  expect(changes).toEqual([
    {
      text: 'Running it.',
      remedy: { ...remedy, method: 'POST', path: '/admin/v1/tenants/acme/connectors/hr/runs' },
    },
  ]);
});

it('a name that the log has only masked is in no call that would change something', () => {
  // Given a room that does not exist, whose name contains a phone number
  const similar = { rooms: [], groups: [], refused: [] };
  const actionsOf = (name: string) => {
    const draft = explainMissingRoom(aTenant(), undefined, { name, similar, history: [] }, []);
    return writeExplanation(draft, 'acme').would_change.map(({ remedy }) => remedy?.action);
  };
  // Then the room is created by hand
  expect(actionsOf('Team +49•••••••89')).toEqual([undefined]);
  expect(actionsOf('Team')).toEqual(['create_room']);
});

const askAbout = (person: Pick<PersonFact, 'groups' | 'effect'>, userIsActive = true) => {
  const user = aUser(1, { active: userIsActive });
  const remedies = [{ text: 'Approving the plan.' }];
  const { changes } = explainRoom({
    tenant: aTenant(),
    found: { user, deletedAt: null },
    room: aRoom({ name: 'Medics North' }),
    facts: {
      ...{ group: null, membership: null, namesake: null, addedBy: null, former: null },
      ...{ refused: [], deactivatedBy: null, unmappedBy: null, skippedBy: null, commands: [] },
      ...{ roomless: [], pushed: new Set(), similar: { rooms: [], groups: [], refused: [] } },
    },
    people: [{ name: 'Ada', text: 'A run waits.', page: 'connectors/hr', remedies, ...person }],
  });
  return changes.filter(isGiven).map(({ text }) => text);
};

it('a run is approved for what it does to the user in this room, and for nothing else', () => {
  // Given a run that only counts the user as missing, or adds them to another room
  expect(askAbout({ groups: [], effect: { leaves: [] } })).toEqual([
    'Adding the user to the room.',
  ]);
  expect(askAbout({ groups: ['Garage'], effect: { leaves: [] } })).not.toContain(
    'Approving the plan.',
  );
  // Then it is no remedy, unless it adds the user to this one, or reactivates them
  expect(askAbout({ groups: ['medics north'], effect: { leaves: [] } })[0]).toBe(
    'Approving the plan.',
  );
  expect(askAbout({ groups: [], effect: { leaves: [], active: true } }, false)[0]).toBe(
    'Approving the plan.',
  );
  expect(askAbout({ groups: [], effect: { leaves: [], active: false } })).not.toContain(
    'Approving the plan.',
  );
});

it('says everything once, and leaves out what does not apply', () => {
  const group = otherGroup(aGroup({ displayName: 'Team', roomId: null }));
  const { answer, facts, would_change } = writeExplanation(
    {
      ...DRAFT,
      because: [{ text: 'Never added.' }, undefined, group],
      facts: [{ ...group, text: 'The group has no room.' }, false, { kind: 'job', text: 'Busy.' }],
      changes: [{ text: 'Waiting.' }, null, { text: 'Waiting.' }],
    },
    'acme',
  );
  expect(answer.text).toBe(`Never added. ${group.text}`);
  expect(facts).toEqual([{ kind: 'job', text: 'Busy.' }]);
  expect(would_change).toEqual([{ text: 'Waiting.' }]);
});
