import { raise } from '../../domain/refusals.js';

/** V8's own message quotes the body, which may hold what must not come back: say where to look only. */
export const refuseMalformed = (): never =>
  raise('INVALID_JSON', 'The body is not well-formed JSON: check quotes, commas and brackets.');
