import { raise } from '../../domain/kernel/refusals.js';

/** Without V8's message, which quotes the body and with it personal data. */
export const refuseMalformed = (): never =>
  raise('INVALID_JSON', 'The body is not well-formed JSON: check quotes, commas and brackets.');
