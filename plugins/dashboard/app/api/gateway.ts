import { RollgateError } from 'rollgate/client';
import { endSession } from '../session.ts';
import { confirmIdentity } from '../step-up.ts';
import { client } from './client.ts';

type Call = (...given: never[]) => Promise<unknown>;

/**
 * A 401 ends the session. If the gateway asks for a fresh sign-in, so does the dashboard, and then
 * calls again.
 */
export const inSession = <C extends Call>(call: C): C =>
  (async (...given: Parameters<C>) => {
    try {
      return await call(...given);
    } catch (error) {
      if (!(error instanceof RollgateError)) throw error;
      if (error.status === 401) endSession();
      if (error.code !== 'STEP_UP_REQUIRED' || !(await confirmIdentity())) throw error;
      return await inSession(call)(...given);
    }
  }) as C;

/** Calls the gateway that serves the dashboard; paths, parameters and bodies are those of the API. */
export const gateway = {
  get: inSession(client.get),
  post: inSession(client.post),
  put: inSession(client.put),
  patch: inSession(client.patch),
  delete: inSession(client.delete),
  request: inSession(client.request),
  preview: inSession(client.preview),
};
