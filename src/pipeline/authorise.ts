import { refusalFor } from '../domain/permissions.js';
import { refuseWhere } from './refuse-where.js';

/** Stage 2: refuses commands that the actor has no permission for. */
export const authorise = refuseWhere(({ envelope: { actor, source, command } }) =>
  refusalFor(actor, source, command),
);
