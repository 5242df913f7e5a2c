import type { JsonValue } from '../domain/json.js';
import { type ActionKey, KEEP_ANSWER_MS, type KnownAction } from '../domain/remembered-answer.js';
import { isDuplicateKey, reading } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import type { RememberedAnswerDocument } from './tables/remembered-answers.js';
import type { Seal } from './tables/seal.js';

/** In place of an answer: nothing that is sealed is empty. */
const RUNNING = '';

/** Longer than any action takes; whoever began one and died has it no longer. */
const MAX_RUN_MS = 60_000;

/**
 * Answers of actions that are no commands, beside those of commands: kept as these are, and begun
 * by an insert, which only one of two can make.
 */
export const mongoActionResults = (
  { rememberedAnswers }: Pick<Collections, 'rememberedAnswers'>,
  { seal, unseal }: Seal,
  now: () => Date,
) => {
  const toRunning = ({ id, tenantId, fingerprint }: ActionKey): RememberedAnswerDocument => {
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

  /** Its time is over: of several who see that, one gets it. */
  const takeOver = async (key: ActionKey, { sealed, expireAt }: RememberedAnswerDocument) => {
    const { _id, ...fields } = toRunning(key);
    const { modifiedCount } = await rememberedAnswers.updateOne(
      { _id, sealed, expireAt },
      { $set: fields },
    );
    return modifiedCount === 1;
  };

  const begin = async (key: ActionKey): Promise<KnownAction> => {
    if (await insert(key)) return { state: 'new' };
    const found = await rememberedAnswers.findOne({ _id: key.id });
    // It was forgotten just now.
    if (!found) return begin(key);
    // The database removes what has expired a while afterwards.
    if (found.expireAt <= now()) return { state: (await takeOver(key, found)) ? 'new' : 'running' };
    if (found.fingerprint !== key.fingerprint) return { state: 'of another body' };
    return found.sealed === RUNNING
      ? { state: 'running' }
      : { state: 'done', result: JSON.parse(unseal(found.sealed)) as JsonValue };
  };

  return {
    begin: (key: ActionKey): Promise<KnownAction> => reading(() => begin(key)),
    end: ({ id }: ActionKey, result: JsonValue): Promise<void> =>
      reading(async () => {
        const expireAt = new Date(now().getTime() + KEEP_ANSWER_MS);
        const sealed = seal(JSON.stringify(result));
        const ended = { $set: { sealed, expireAt } };
        await rememberedAnswers.updateOne({ _id: id, sealed: RUNNING }, ended);
      }),
    forget: ({ id }: ActionKey): Promise<void> =>
      reading(async () => {
        await rememberedAnswers.deleteOne({ _id: id, sealed: RUNNING });
      }),
  };
};
