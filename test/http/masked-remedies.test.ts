import { expect, it } from 'vitest';
import { type Explanation, maskNumbers, waysToMakeRoom } from '../../src/http/resources/explain.js';

it('a name that the log has only masked is in no call that would change something', () => {
  // Given a group that was refused, whose name contains a phone number
  const tenant = { slug: 'acme', roomProvisioning: 'manual' } as const;
  const explain = (name: string): Explanation => ({
    question: 'Does the group have a room?',
    answer: { text: 'No.' },
    facts: [],
    would_change: waysToMakeRoom(tenant, name, { rooms: [], pushed: true, group: undefined }),
  });
  const actionsOf = (name: string) =>
    maskNumbers(explain(name)).would_change.map(({ remedy }) => remedy?.action);
  // Then the room is created by hand
  expect(actionsOf('Team +49•••••••89')).toEqual([undefined, 'provision_rooms']);
  expect(actionsOf('Team')).toEqual(['create_room', 'provision_rooms']);
});
