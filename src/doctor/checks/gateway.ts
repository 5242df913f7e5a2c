import { z } from 'zod';
import { findHolder } from '../../store/embedded/data-folder-lock.js';
import { askGateway } from '../ask-gateway.js';
import type { DoctorContext } from '../context.js';
import { isAbsence } from '../not-ours.js';
import { type Check, fail, ok, skip, warn } from '../verdict.js';

/** What /readyz says, and nothing else does. */
const Readiness = z.union([
  z.object({ status: z.literal('ok') }),
  z.object({ error: z.literal('UNAVAILABLE'), request_id: z.string() }),
]);

/** The gateway that runs at the configured address, if one does, is ready. */
export const checkGateway: Check = async (context) => {
  const { address } = context.gateway;
  if ('missing' in address) return skip(address.missing);
  const { url, isGiven } = address;
  const answer = await askGateway(`${url}/readyz`);
  if ('fault' in answer)
    return isGiven
      ? fail(`No gateway answers at ${url} (${answer.fault}).`, START_IT)
      : skip(`No gateway answers at ${url} (${answer.fault}).`);
  const readiness = Readiness.safeParse(answer.body);
  if (!readiness.success)
    return fail(
      `What answers at ${url} is not a Rollgate gateway.`,
      'Give the gateway a port of its own (ROLLGATE_PORT), or name the right address by --url.',
      { url, status: answer.status },
    );
  const details = { url, status: answer.status };
  if (answer.status === 200)
    return !isGiven && (await isAnothers(context))
      ? warn(
          `The gateway at ${url} is ready, but it is not that of ${context.dataDir()}.`,
          'Name the folder of the one that runs (--data-dir). One that is started here needs a port ' +
            'of its own (ROLLGATE_PORT).',
          details,
        )
      : ok(`The gateway at ${url} is ready.`, details);
  return fail(
    `The gateway at ${url} runs, but is not ready.`,
    'It is stopping, or its database does not answer: see the lines on the database, and its log.',
    details,
  );
};

/** With a database of its own, the gateway of this folder would hold it. */
const isAnothers = async ({ isEmbedded, dataDir }: DoctorContext): Promise<boolean> =>
  isEmbedded() && (await isUnused(dataDir()));

const isUnused = (folder: string): Promise<boolean> =>
  findHolder(folder).then((holder) => holder === undefined, isAbsence);

const START_IT = '"rollgate serve" starts one; is this its address?';
