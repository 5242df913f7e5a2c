import { z } from 'zod';
import { type ListenAddress, requireFreeAddress } from '../../process/listen.js';
import { findHolder } from '../../store/embedded/data-folder-lock.js';
import { requestGateway } from '../request-gateway.js';
import type { DoctorContext } from '../context.js';
import { isMissing } from '../reason-of.js';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../check-result.js';

/** The responses of /readyz; no other server sends them. */
const Readiness = z.union([
  z.object({ status: z.literal('ok') }),
  z.object({ error: z.literal('UNAVAILABLE'), request_id: z.string() }),
]);

/** The gateway at the configured address, if one is running, is ready. */
export const checkGateway: Check = async (context) => {
  const { address } = context.gateway;
  if ('missing' in address) return skip(address.missing);
  const { url, isGiven } = address;
  const response = await requestGateway(`${url}/readyz`);
  if ('fault' in response)
    return isGiven
      ? fail(`No gateway at ${url} (${response.fault}).`, START_IT)
      : evaluateNone(`No gateway at ${url} (${response.fault}).`, context.config());
  const readiness = Readiness.safeParse(response.body);
  if (!readiness.success)
    return fail(
      `The server at ${url} is not a Rollgate gateway.`,
      'Use another port for the gateway (ROLLGATE_PORT), or pass the right address with --url.',
      { url, status: response.status },
    );
  const details = { url, status: response.status };
  if (response.status === 200)
    return !isGiven && (await isOfAnotherFolder(context))
      ? warn(
          `The gateway at ${url} is ready, but does not use ${context.dataDir()}.`,
          'Pass the data folder of the running gateway (--data-dir). Another gateway on this machine ' +
            'needs another port (ROLLGATE_PORT).',
          details,
        )
      : ok(`The gateway at ${url} is ready.`, details);
  return fail(
    `The gateway at ${url} is running but not ready.`,
    'It is shutting down, or its database does not respond. See the database checks and its log.',
    details,
  );
};

/** None is running: could one start? */
const evaluateNone = async (message: string, address: ListenAddress): Promise<CheckResult> => {
  try {
    await requireFreeAddress(address);
    return skip(message);
  } catch (error) {
    return fail(`${message} None can start.`, error instanceof Error ? error.message : '');
  }
};

/** A gateway with an embedded database locks its folder. */
const isOfAnotherFolder = async ({ isEmbedded, dataDir }: DoctorContext): Promise<boolean> =>
  isEmbedded() && (await isUnused(dataDir()));

const isUnused = (folder: string): Promise<boolean> =>
  findHolder(folder).then((holder) => holder === undefined, isMissing);

const START_IT = 'Start it with "rollgate serve", or correct the address.';
