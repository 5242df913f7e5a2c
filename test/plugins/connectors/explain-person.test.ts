import { describe, expect, it } from 'vitest';
import { explainPerson } from '../../../plugins/connectors/operate/explain-person.js';
import type { UserId } from '../../../src/domain/kernel/ids.js';
import { ConnectorWorld, NAME, person } from '../../support/connector-world.js';

const ask = (world: ConnectorWorld, text: string, userId?: UserId) =>
  explainPerson(world.instance().service, { slug: 'acme' }, { text, userId }, world.now);

describe('what a connector has on a person', () => {
  it('is the day on which a future hire is created, or that they have left', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { first: 'Faye', start: '2027-03-01' }));
    world.put('p2', person('p2', { first: 'Leo', end: '2026-01-31' }));
    await world.run();
    expect(await ask(world, 'faye')).toMatchObject([
      {
        text: `The connector "${NAME}" creates the user on 1 March 2027: the first day in the record p1 is in the future.`,
        page: `connectors/${NAME}`,
      },
    ]);
    expect(await ask(world, 'leo')).toMatchObject([
      {
        text: `The person has left, says the record p2 of the connector "${NAME}". The last day was 2026-01-31.`,
      },
    ]);
    expect(await ask(world, 'nobody')).toEqual([]);
    // A user has become of the first record by now.
    world.passDays(120);
    await world.run();
    expect(await ask(world, 'faye')).toEqual([]);
  });

  it('is why a record is in quarantine, also if it has no name but its id', async () => {
    const world = new ConnectorWorld();
    world.put('p1', person('p1', { start: 'soon' }));
    await world.run();
    expect(await ask(world, 'p1@example.com')).toMatchObject([
      {
        name: 'p1@example.com',
        text: expect.stringMatching(
          /^On .+ UTC, the connector .+ into quarantine \(DATE\): /,
        ) as string,
        remedies: [{ call: { command: ['connector', 'retry', 'acme', NAME, 'p1'] } }],
      },
    ]);
  });

  it('is the run that waits for approval, and the approval', async () => {
    const world = new ConnectorWorld({}, {}, { seatCapacity: 1 });
    world.fill(4);
    const held = await world.run();
    expect(held).toMatchObject({ state: 'held' });
    const [found, ...others] = await ask(world, 'p2@example.com');
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      text: expect.stringMatching(
        /^A run of the connector .+ that would create the user has been waiting for approval since .+ UTC: 4 users would join/,
      ) as string,
      effect: { leaves: [], active: true },
      page: `connectors/${NAME}/runs/${held.id}`,
      remedies: [
        {
          call: {
            path: `/connectors/${NAME}/runs/${held.id}/approve`,
            body: { plan: held.plan?.digest },
          },
        },
      ],
    });
  });

  it('is, of a user, the groups that it cannot find', async () => {
    const world = new ConnectorWorld({ groups: [{ path: 'team' }] });
    world.put('p1', person('p1', { team: 'Garage' }));
    world.put('p2', person('p2'));
    await world.run();
    const [first, second] = world.users();
    expect(await ask(world, '', first?.id)).toMatchObject([
      {
        text: `The connector "${NAME}" would add the user to "Garage", but there is no such group.`,
        groups: ['Garage'],
      },
    ]);
    expect(await ask(world, '', second?.id)).toEqual([]);
  });
});
