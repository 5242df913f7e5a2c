import { expect, it } from 'vitest';
import { DEFAULT_SCIM_SETTINGS } from '../../../src/domain/tenant/scim-settings.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();

it('applies defaults to a tenant of version 0.1.0, which had fewer settings', async () => {
  const core = new PipelineInstance(await database.open());
  const { id } = await core.createTenant({ scim: { strictErrors: true } });
  const states = core.collections.tenantState;
  expect(await states.findOne({ _id: id })).toMatchObject({ scim: { strictErrors: true } });
  await states.updateOne(
    { _id: id },
    { $set: { scim: {} }, $unset: { customAttributes: '', captureUntil: '' } },
  );

  const older = await core.store.load(id, []);

  expect(older.tenant).toMatchObject({
    scim: DEFAULT_SCIM_SETTINGS,
    customAttributes: [],
    captureUntil: null,
  });
  await core.submit(id, { type: 'tenant.update', scim: { putWithoutMembers: 'keep' } });
  const changed = await core.store.load(id, []);
  expect(changed.tenant?.scim).toEqual({
    ...DEFAULT_SCIM_SETTINGS,
    putWithoutMembers: 'keep',
  });
});
