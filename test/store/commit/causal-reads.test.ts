import type { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/kernel/ids.js';
import { newId } from '../../../src/pipeline/submit.js';
import { aProfile } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();

interface Sent {
  readonly lsid?: { readonly id: mongo.Binary };
  readonly filter?: { readonly tenant?: string };
  readonly updates?: readonly { readonly q: { readonly _id?: string } }[];
  readonly readConcern?: { readonly afterClusterTime?: mongo.Timestamp };
}

/**
 * A batch that starts from the state of the last commit (load.ts) reads users in any free
 * session. Without the time of that commit, a new primary may return data from before it, while the
 * version check in the transaction sees the commit: an update would be lost.
 */
it('reads of a batch require data at least as new as the last commit of its tenant', async () => {
  const core = new PipelineInstance(await database.open({ monitorCommands: true }));
  const tenants = await Promise.all(Array.from({ length: 6 }, () => core.createTenant()));
  const tenantInSession = new Map<string, string>();
  const committedAt = new Map<string, mongo.Timestamp>();
  const commits = new Map<number, string>();
  const stale: string[] = [];
  let reads = 0;
  const { client } = core.collections;
  client.on('commandStarted', ({ commandName, command, requestId }: mongo.CommandStartedEvent) => {
    const { lsid, filter, updates, readConcern } = command as Sent;
    if (commandName === 'commitTransaction') commits.set(requestId, String(lsid?.id));
    if (commandName === 'update' && command.update === 'tenant_state')
      tenantInSession.set(String(lsid?.id), updates?.[0]?.q._id ?? '');
    if (commandName !== 'find' || command.find !== 'users') return;
    reads += 1;
    const tenant = filter?.tenant ?? '';
    const committed = committedAt.get(tenant);
    const after = readConcern?.afterClusterTime;
    if (committed && (!after || after.lessThan(committed))) stale.push(tenant);
  });
  client.on('commandSucceeded', ({ requestId, reply }: mongo.CommandSucceededEvent) => {
    const tenant = tenantInSession.get(commits.get(requestId) ?? '');
    const { operationTime } = reply as { readonly operationTime?: mongo.Timestamp };
    if (tenant !== undefined && operationTime) committedAt.set(tenant, operationTime);
  });
  await Promise.all(
    tenants.map(async ({ id }) => {
      const userId = newId<UserId>();
      await core.submit(id, { type: 'user.create', userId, profile: aProfile() });
      for (let number = 0; number < 20; number += 1) {
        // A turn of the event loop, in which others take the session of the last commit.
        await new Promise(setImmediate);
        await core.submit(id, { type: 'user.update', userId, displayName: `Ada ${number}` });
      }
    }),
  );
  expect(committedAt.size).toBe(6);
  expect(reads).toBeGreaterThanOrEqual(120);
  expect(stale).toEqual([]);
});
