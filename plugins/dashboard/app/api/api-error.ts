import { RollgateError } from 'rollgate/client';

/** The error of a call, with its code, request id and details. */
export type ApiError = RollgateError;

/** What a person has cancelled or mistyped, or what their browser cannot do: without a code. */
export class Cancelled extends Error {}

/** Any thrown value, as an error that can be shown. */
export const asApiError = (error: unknown): ApiError => {
  if (error instanceof Cancelled) return new RollgateError({ code: '', message: error.message });
  if (!(error instanceof RollgateError))
    return new RollgateError({ code: 'DASHBOARD_FAULT', message: String(error) });
  if (error.code !== 'UNREACHABLE') return error;
  return new RollgateError({ code: error.code, message: 'The gateway is not reachable.' });
};
