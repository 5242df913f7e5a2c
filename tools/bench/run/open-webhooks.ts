import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority } from '../../shared/authority.js';
import { type Child, startChild } from '../../shared/child.js';
import type { Cleanup } from '../../shared/cleanup.js';
import { childScript } from '../build.js';
import type { ReceiverMethods } from '../load/receiver.js';

/** An HTTPS receiver, and the settings of a gateway that trusts it. */
export interface Webhooks {
  readonly receiver: Child<ReceiverMethods>;
  readonly urlOf: (path: string) => string;
  /** A PEM file of the authority that issued its certificate. */
  readonly ca: string;
  readonly environment: Readonly<Record<string, string>>;
}

export const openWebhooks = async (folder: string, cleanup: Cleanup): Promise<Webhooks> => {
  const authority = await createAuthority('Rollgate benchmark');
  const ca = join(folder, 'authority.pem');
  await writeFile(ca, authority.certificate);
  const receiver = startChild<ReceiverMethods>(childScript('load/receiver.js'));
  cleanup.defer(receiver.stop);
  const port = await receiver.call('open', await authority.issue(['localhost', '127.0.0.1']));
  return {
    receiver,
    urlOf: (path) => `https://localhost:${port}${path}`,
    ca,
    environment: {
      ROLLGATE_WEBHOOKS_ALLOW: '127.0.0.0/8,::1/128',
      ROLLGATE_WEBHOOKS_CA: ca,
    },
  };
};
