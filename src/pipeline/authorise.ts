import { filter, type MonoTypeOperatorFunction } from 'rxjs';
import { refusalFor } from '../domain/permissions.js';
import type { Refusal } from '../domain/kernel/refusals.js';
import type { Arrival } from './batch.js';

/** A stage that refuses commands and passes on all others. */
export const refuseWhere = (
  refusalOf: (arrival: Arrival) => Refusal | undefined,
): MonoTypeOperatorFunction<Arrival> =>
  filter((arrival) => {
    const refusal = refusalOf(arrival);
    if (refusal) arrival.resolve({ ok: false, refusal });
    return refusal === undefined;
  });

/** Stage 2: refuses commands that the actor has no permission for. */
export const authorise = refuseWhere(({ envelope: { actor, source, command } }) =>
  refusalFor(actor, source, command),
);
