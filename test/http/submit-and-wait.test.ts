import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { JobId } from '../../src/domain/kernel/ids.js';
import { startServer } from '../../src/http/server.js';
import type { AwaitJobs } from '../../src/pipeline/jobs.js';
import type { Submit } from '../../src/pipeline/submit.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';
import { idOf } from '../support/builders.js';
import { CANONICAL, type TestApp, openEdge } from '../support/edge.js';
import { eventually } from '../support/eventually.js';

const JOB = { id: idOf<JobId>(1), done: 0, total: 500 };

/** Waits that only their signal can end. */
const endless = () => {
  const state = { waiting: 0 };
  const awaitJobs: AwaitJobs = async (_tenantId, [job], signal) => {
    state.waiting += 1;
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    state.waiting -= 1;
    return job;
  };
  return { state, awaitJobs };
};

const servers: http.Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** An app whose commands all start a job. */
const withJobs = (edge: TestApp, awaitJobs: AwaitJobs): TestApp => {
  const submit: Submit = async (submission) => {
    const outcome = await edge.parts.submit(submission);
    return outcome.ok ? { ...outcome, jobs: [JOB] } : outcome;
  };
  return edge.with({ awaitJobs, submit });
};

/** Such an app, and a function that sends a request. */
const given = async () => {
  const { state, awaitJobs } = endless();
  const fake = withJobs(await openEdge(), awaitJobs);
  const server = http.createServer(fake.app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const send = (): http.ClientRequest => {
    const { port } = server.address() as AddressInfo;
    return http.request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/v1/acme/users',
      headers: { authorization: `Bearer ${fake.key}`, 'content-type': 'application/json' },
    });
  };
  return { fake, send, state };
};

it('returns 202 to waiting clients when the gateway starts to drain', async () => {
  const { fake, send, state } = await given();
  const request = send();
  const answered = new Promise<http.IncomingMessage>((resolve) => request.on('response', resolve));
  request.end('{"email":"ada@example.com"}');
  await eventually(() => expect(state.waiting).toBe(1));
  fake.state.drain();
  const response = await answered;
  expect([response.statusCode, response.headers.location]).toEqual([
    202,
    `http://gateway.test/v1/acme/jobs/${JOB.id}`,
  ]);
  response.resume();
});

it('stops waiting when the client disconnects', async () => {
  const { send, state } = await given();
  const request = send();
  request.on('error', () => undefined);
  request.end('{"email":"ada@example.com"}');
  await eventually(() => expect(state.waiting).toBe(1));
  request.destroy();
  await eventually(() => expect(state.waiting).toBe(0));
});

it('adds fewer listeners than Node warns about when it also streams the response', async () => {
  // Given a group whose response is streamed, and a gateway where each command starts a job
  const edge = await openEdge({}, { roomProvisioning: 'automatic' });
  const app = withJobs(edge, () => Promise.resolve(undefined));
  const scim = new ScimClient(app, CANONICAL);
  const { id: value } = await scim.create();
  const created = await scim
    .post('/Groups', { displayName: 'Long', members: [{ value }] })
    .expect(201);
  const { id } = created.body as { id: string };
  await app.collections.groups.updateMany({}, { $set: { memberCount: 100_000 } });
  const server = await startServer((request, response) => void app.app(request, response), {
    host: '127.0.0.1',
    port: 0,
    state: app.state,
  });
  const warnings: Error[] = [];
  const record = (warning: Error): void => void warnings.push(warning);
  process.on('warning', record);
  onTestFinished(async () => {
    process.off('warning', record);
    await server.stop({ graceMs: 0 });
  });
  // When a client changes it
  const response = await fetch(
    `${server.url}${CANONICAL}/Groups/${id}?attributes=externalId,members`,
    {
      method: 'PATCH',
      headers: { authorization: `Bearer ${app.key}`, 'content-type': SCIM_TYPE },
      body: JSON.stringify({ Operations: [{ op: 'replace', path: 'externalId', value: 'long' }] }),
    },
  );
  // Then it gets the group in chunks, and Node prints no warning
  expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
  expect(await response.json()).toMatchObject({ externalId: 'long', members: [{ value }] });
  expect(warnings).toEqual([]);
});
