import { filter, type MonoTypeOperatorFunction } from 'rxjs';
import { refusalFor } from '../domain/permissions.js';
import { internalError, type Refusal } from '../domain/kernel/refusals.js';
import type { Arrival } from './batch.js';
import type { PipelineLog } from './pipeline-log.js';

/** A stage that refuses commands and passes on all others. A command that makes it throw fails alone. */
export const refuseWhere = (
  refusalOf: (arrival: Arrival) => Refusal | undefined,
  log: PipelineLog,
): MonoTypeOperatorFunction<Arrival> => {
  const check = (arrival: Arrival): Refusal | undefined => {
    try {
      return refusalOf(arrival);
    } catch (error) {
      const { requestId, command } = arrival.envelope;
      const fields = { err: error, request_id: requestId, command: command.type };
      log.error(fields, 'a command could not be checked');
      return internalError();
    }
  };
  return filter((arrival) => {
    const refusal = check(arrival);
    if (refusal) arrival.resolve({ ok: false, refusal });
    return refusal === undefined;
  });
};

/** Stage 2: refuses commands that the actor has no permission for. */
export const authorise = (log: PipelineLog): MonoTypeOperatorFunction<Arrival> =>
  refuseWhere(
    ({ envelope: { actor, source, command } }) => refusalFor(actor, source, command),
    log,
  );
