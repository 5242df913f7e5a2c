import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { envelopeOf, signatureHeaders, signingKeysOf } from '../../../src/plugin/api.js';
import { sampleEvent } from '../../../src/plugin/testing.js';
import { generateSecret } from '../../../plugins/webhooks/signing.js';

/** Signs and sends events with node:https, and does nothing else: what any engine is measured by. */
export const openBareSender = (options: {
  /** Of the receiver. */
  readonly url: string;
  /** A PEM file. */
  readonly ca: string;
  readonly deliveries: number;
  readonly concurrency: number;
}) => {
  const { url, ca, deliveries, concurrency } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, ca: readFileSync(ca) });
  const keys = signingKeysOf(generateSecret());
  let next = 0;

  const post = (): Promise<void> =>
    new Promise((resolve, reject) => {
      next += 1;
      const resource = { kind: 'user', id: randomUUID() } as const;
      const event = sampleEvent('user.created', { seq: next, resource });
      const body = Buffer.from(JSON.stringify(envelopeOf(event, [])));
      const headers = {
        'content-type': 'application/json',
        'content-length': body.length,
        'x-service-event': event.name,
        'x-service-delivery': randomUUID(),
        ...signatureHeaders(keys, { id: event.id, body, at: new Date() }),
      };
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(body);
    });

  const work = async (): Promise<void> => {
    while (next < deliveries) await post();
  };
  let workers: Promise<unknown> | undefined;
  return {
    start: (): void => {
      workers = Promise.all(Array.from({ length: concurrency }, work));
    },
    drained: async (): Promise<void> => {
      await workers;
    },
    close: (): Promise<void> => {
      agent.destroy();
      return Promise.resolve();
    },
  };
};
