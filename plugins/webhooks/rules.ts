import { z } from 'zod';
import type { PluginRule, PluginVerdict } from '../../src/domain/decide/decider.js';
import { isSame } from '../../src/domain/is-same.js';
import type { PluginRecord } from '../../src/domain/plugin-record.js';
import { refuse } from '../../src/domain/refusals.js';
import { presentCore, WebhookCore } from './presentation.js';
import { readRegistration, RegistrationData } from './registration.js';

/** Registrations that a tenant may have (decisions.md 7). */
export const MOST_REGISTRATIONS = 100;

const changeable = RegistrationData.pick({
  url: true,
  events: true,
  status: true,
  description: true,
});

/** What each rule is given; the routes make it, and the command log must be able to show it. */
export const RuleInputs = {
  create: RegistrationData.pick({ url: true, events: true, description: true, secret: true }),
  update: z.strictObject({
    id: z.string(),
    ifMatch: z.union([z.array(z.int()), z.literal('*')]).optional(),
    changes: changeable.partial(),
  }),
  delete: z.strictObject({
    id: z.string(),
    ifMatch: z.union([z.array(z.int()), z.literal('*')]).optional(),
  }),
};

/**
 * What `create` and `update` answer with; `create` with the sealed secret too, for whoever repeats
 * a request by its Idempotency-Key is shown the secret that was made the first time.
 */
export const RuleAnswer = z.strictObject({
  webhook: WebhookCore,
  version: z.int(),
  secret: z.string().optional(),
});

const refused = (...refusal: Parameters<typeof refuse>): PluginVerdict => ({
  refusal: refuse(...refusal),
});

const answer = (record: PluginRecord): z.input<typeof RuleAnswer> => ({
  webhook: presentCore(readRegistration(record)),
  version: record.version,
});

const create: PluginRule = (input, { records, newRecord }) => {
  if (records.length >= MOST_REGISTRATIONS)
    return refused(
      'INVALID_REQUEST',
      `There are ${MOST_REGISTRATIONS} webhook registrations, as many as there may be. Delete one first.`,
    );
  const record = newRecord({ ...RuleInputs.create.parse(input), status: 'active', epoch: 1 });
  const { secret } = RegistrationData.parse(record.data);
  return { put: [record], result: { ...answer(record), secret } };
};

const update: PluginRule = (input, { records }) => {
  const { id, ifMatch, changes } = RuleInputs.update.parse(input);
  const found = findForChange(records, id, ifMatch);
  if ('refusal' in found) return found;
  const before = RegistrationData.parse(found.record.data);
  const after = { ...before, ...changes };
  if (isSame(before, after)) return { result: answer(found.record) };
  const record: PluginRecord = {
    ...found.record,
    data: { ...after, epoch: before.epoch + (after.status === before.status ? 0 : 1) },
    version: found.record.version + 1,
  };
  return { put: [record], result: answer(record) };
};

const remove: PluginRule = (input, { records }) => {
  const { id, ifMatch } = RuleInputs.delete.parse(input);
  const found = findForChange(records, id, ifMatch);
  return 'refusal' in found ? found : { remove: [found.record], result: null };
};

const findForChange = (
  records: readonly PluginRecord[],
  id: string,
  ifMatch: readonly number[] | '*' | undefined,
): { readonly record: PluginRecord } | Extract<PluginVerdict, { refusal: unknown }> => {
  const record = records.find((candidate) => candidate.id === id);
  if (!record) return { refusal: noSuchWebhook() };
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(record.version))
    return { record };
  return {
    refusal: refuse(
      'PRECONDITION_FAILED',
      'It has changed since you read it. Read it again and repeat the change.',
    ),
  };
};

export const noSuchWebhook = () =>
  refuse('WEBHOOK_NOT_FOUND', 'No webhook registration has this id.');

/** The rules by which registrations change, run inside the lane (decisions.md 7). */
export const webhookRules = { create, update, delete: remove } satisfies Record<string, PluginRule>;
