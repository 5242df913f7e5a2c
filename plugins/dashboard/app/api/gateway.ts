import { RollgateError } from 'rollgate/client';
import { endSession, hasExpired, isInGuide, session } from '../session.ts';
import { confirmIdentity } from '../step-up.ts';
import { client } from './client.ts';

type Call = (...given: never[]) => Promise<unknown>;

/**
 * If the session has ended, or the gateway asks for a fresh sign-in, the dashboard asks for one over
 * the page, which keeps what was entered, and then calls again. Setup links have no other sign-in.
 */
export const inSession = <C extends Call>(call: C): C =>
  (async (...given: Parameters<C>) => {
    try {
      return await call(...given);
    } catch (error) {
      if (!(error instanceof RollgateError)) throw error;
      const isOver = error.status === 401 && Boolean(session.value) && !isInGuide();
      if (isOver) hasExpired.value = true;
      const isAsked = isOver || error.code === 'STEP_UP_REQUIRED';
      if (isAsked && (await confirmIdentity())) return await inSession(call)(...given);
      if (error.status === 401) endSession();
      throw error;
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
