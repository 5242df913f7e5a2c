import type { JsonValue } from '../domain/kernel/json.js';
import {
  type ActionKey,
  RESPONSE_TTL_MS,
  type ActionState,
} from '../domain/kernel/stored-response.js';
import { isDuplicateKey, guarded } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import type { StoredResponseDocument } from './tables/stored-responses.js';
import type { Seal } from './tables/collection.js';

/** Stored instead of a result while the action runs: an encrypted result is never empty. */
const RUNNING = '';

/** Longer than any action takes; afterwards its instance counts as crashed. */
const MAX_RUN_MS = 60_000;

/**
 * Results of actions that are not commands, under their Idempotency-Key. They are stored with the
 * responses of commands; an insert, which succeeds once, starts one.
 */
export const mongoActionResults = (
  { rememberedAnswers }: Pick<Collections, 'rememberedAnswers'>,
  { seal, unseal }: Seal,
  now: () => Date,
) => {
  const toRunning = ({ id, tenantId, fingerprint }: ActionKey): StoredResponseDocument => {
    const at = now();
    const expireAt = new Date(at.getTime() + MAX_RUN_MS);
    return { _id: id, tenant: tenantId, fingerprint, sealed: RUNNING, at, expireAt };
  };

  const insert = async (key: ActionKey): Promise<boolean> => {
    try {
      await rememberedAnswers.insertOne(toRunning(key));
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  /** Takes over an action that has timed out; of several attempts one succeeds. */
  const takeOver = async (key: ActionKey, { sealed, expireAt }: StoredResponseDocument) => {
    const { _id, ...fields } = toRunning(key);
    const { modifiedCount } = await rememberedAnswers.updateOne(
      { _id, sealed, expireAt },
      { $set: fields },
    );
    return modifiedCount === 1;
  };

  const begin = async (key: ActionKey): Promise<ActionState> => {
    if (await insert(key)) return { state: 'new' };
    const found = await rememberedAnswers.findOne({ _id: key.id });
    // Deleted since the insert failed.
    if (!found) return begin(key);
    // The database deletes expired documents with a delay.
    if (found.expireAt <= now()) return { state: (await takeOver(key, found)) ? 'new' : 'running' };
    if (found.fingerprint !== key.fingerprint) return { state: 'of another body' };
    return found.sealed === RUNNING
      ? { state: 'running' }
      : { state: 'done', result: JSON.parse(unseal(found.sealed)) as JsonValue };
  };

  return guarded({
    begin,
    end: async ({ id }: ActionKey, result: JsonValue): Promise<void> => {
      const expireAt = new Date(now().getTime() + RESPONSE_TTL_MS);
      const sealed = seal(JSON.stringify(result));
      const ended = { $set: { sealed, expireAt } };
      await rememberedAnswers.updateOne({ _id: id, sealed: RUNNING }, ended);
    },
    forget: async ({ id }: ActionKey): Promise<void> => {
      await rememberedAnswers.deleteOne({ _id: id, sealed: RUNNING });
    },
  });
};
