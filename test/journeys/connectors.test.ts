import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunView } from '../../plugins/connectors/operate/views.js';
import { eventually } from '../support/eventually.js';
import {
  ADMIN_TOKEN,
  type Client,
  createResource,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { peopleFiles, type Person } from '../support/people-file.js';
import { runCli } from '../support/run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-connector-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = peopleFiles(folder, 10);
const people = new Map<string, Person>();
const hire = (id: string, more: Record<string, string> = {}): void => {
  people.set(id, { id, mail: `${id}@example.com`, name: id.toUpperCase(), ...more });
};

describe('a connector', () => {
  const gateway = TestGateway.use(() => ({ ROLLGATE_CONFIG: files.config }));
  let operator: Client;
  let tenant: TestTenant;
  let hr: string;
  let base: string;

  beforeEach(async () => {
    operator = await gateway.operator();
    tenant = await gateway.tenant({ room_provisioning: 'automatic' });
    hr = `hr-${tenant.slug}`;
    base = `/tenants/${tenant.slug}/connectors/${hr}`;
    people.clear();
  });

  const native: Client = (...args) => tenant.native(...args);
  const save = (): void => files.save(tenant.slug, [...people.values()]);
  /** The gateway may have started the run of the day's dates itself: it ends first. */
  const run = async (body: object = {}): Promise<RunView> => {
    const { id } = await eventually(async () => {
      const started = await operator<RunView>('POST', `${base}/runs`, body);
      expect(started).toMatchObject({ status: 201 });
      return started.body;
    });
    return ended(id);
  };
  const ended = (id: string): Promise<RunView> =>
    eventually(async () => {
      const { body } = await operator<RunView>('GET', `${base}/runs/${id}`);
      expect(['done', 'held', 'failed', 'planned', 'superseded']).toContain(body.state);
      return body;
    });

  it('creates users, their rooms and events, under an actor of its own', async () => {
    hire('ada', { team: 'Dispatch', boss: 'bob' });
    hire('bob', { team: 'Dispatch' });
    hire('cid', { start: '2999-01-01' });
    save();
    expect(await operator('POST', `${base}/check`)).toMatchObject({
      body: { ok: true, message: '3 people.' },
    });
    const planned = await run({ plan_only: true });
    expect(planned).toMatchObject({ state: 'planned', planned: { create: 2, future: 1 } });
    expect(await native('GET', '/users')).toMatchObject({ body: { total: 0 } });

    const done = await run();
    expect(done).toMatchObject({ state: 'done', read: 3, applied: 2, failed: 0 });
    expect(await native('GET', '/users?email=ada@example.com')).toMatchObject({
      body: { users: [{ email: 'ada@example.com', display_name: 'ADA', active: true }] },
    });
    expect(await native('GET', '/rooms')).toMatchObject({
      body: { rooms: [{ name: 'Dispatch' }] },
    });
    const { body: log } = await operator<{ commands: readonly Record<string, unknown>[] }>(
      'GET',
      `/tenants/${tenant.slug}/commands?request_id=${done.id}`,
    );
    expect(log.commands.length).toBeGreaterThanOrEqual(5);
    expect(log.commands[0]).toMatchObject({
      actor: { kind: 'connector', name: hr },
      source: 'connector',
    });
    const { body: events } = await native<{ events: readonly Record<string, unknown>[] }>(
      'GET',
      '/events',
    );
    expect(events.events.map(({ event }) => event)).toContain('room.member_added');
    expect(await run()).toMatchObject({ state: 'done', unchanged: 3, applied: 0 });
  });

  const cli = async (...words: readonly string[]) => {
    const { url } = await gateway.open();
    const env = { ROLLGATE_URL: url, ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN };
    const [verb = '', ...options] = words;
    return runCli(['connector', verb, tenant.slug, hr, ...options], { env });
  };

  it('finds on the command line only who is in the source', async () => {
    hire('ada');
    save();
    for (const verb of ['plan', 'run']) {
      expect((await cli(verb, '--id', 'ada')).exitCode).toBe(0);
      const { exitCode, stderr } = await cli(verb, '--id', 'nobody');
      expect([verb, exitCode, stderr]).toEqual([
        verb,
        1,
        expect.stringContaining('The source has 0 of 1 records with these ids.'),
      ]);
    }
  });

  /** The overview, with what needs attention because of connectors. */
  const overview = async (): Promise<object> => {
    const { body } = await operator<{ readonly attention: readonly { readonly code: string }[] }>(
      'GET',
      `/tenants/${tenant.slug}/overview`,
    );
    const attention = body.attention.filter(({ code }) => code.startsWith('CONNECTOR_'));
    return { ...body, attention };
  };

  it('holds a run after half of the file is gone, and applies it once it is approved', async () => {
    for (let at = 0; at < 40; at += 1) hire(`p${at}`);
    save();
    expect(await run()).toMatchObject({ state: 'done', failed: 0 });
    for (let at = 0; at < 20; at += 1) people.delete(`p${at}`);
    save();
    const held = await run();
    // Missing once is no loss of access: the plan says so, and the next one that it is.
    expect(held).toMatchObject({
      state: 'held',
      plan: { findings: [{ guard: 'deactivations' }] },
      summary: '20 are missing',
      takes_access: false,
      outlook: [{ when: 'now' }, { when: 'later' }, { when: 'not' }],
    });
    expect(await operator('GET', base)).toMatchObject({ body: { state: 'held' } });
    // On the command line, a run that is not applied is no success: the same plan waits already.
    const again = await cli('run');
    expect([again.exitCode, again.stdout]).toEqual([1, expect.stringContaining('superseded')]);
    expect(await overview()).toMatchObject({
      connectors: { total: 1, held: 1, failed: 0 },
      attention: [
        {
          severity: 'warning',
          code: 'CONNECTOR_RUN_HELD',
          message: expect.stringMatching(
            new RegExp(
              `^A run of the connector ${hr} waits for approval: .* The plan: 20 are missing\\.$`,
            ),
          ) as string,
          action: expect.stringMatching(
            /^Look at its plan; then approve or reject it by .* UTC\.$/,
          ) as string,
          link: `connectors/${hr}?run=${held.id}`,
        },
      ],
    });
    const plan = await operator<{ items: readonly object[] }>(
      'GET',
      `${base}/runs/${held.id}/plan?limit=5`,
    );
    expect(plan.body.items[0]).toMatchObject({ kind: 'missing', outcome: 'planned' });
    // By class, page by page
    const page = await operator<{ items: readonly object[]; next: string }>(
      'GET',
      `${base}/runs/${held.id}/plan?class=missing&limit=15`,
    );
    expect(page.body.items).toHaveLength(15);
    const rest = `${base}/runs/${held.id}/plan?class=missing&limit=15&after=${page.body.next}`;
    expect(await operator('GET', rest)).toMatchObject({
      body: { items: Array.from({ length: 5 }, () => ({ class: 'missing' })), next: null },
    });
    expect(await operator('GET', `${base}/runs/${held.id}/plan?class=create`)).toMatchObject({
      body: { items: [], next: null },
    });
    const shown = await cli('plan', '--run', held.id);
    expect(shown.stdout).toContain('Later:\n  20 people are missing for the first time.');
    expect(shown.stdout).toContain(`approve ${tenant.slug} ${hr} ${held.id} --plan`);
    expect(
      await operator('POST', `${base}/runs/${held.id}/approve`, { plan: 'another' }),
    ).toMatchObject({ status: 409, body: { error: 'CONNECTOR_PLAN_OUTDATED' } });
    expect(
      await operator('POST', `${base}/runs/${held.id}/approve`, { plan: held.plan?.digest }),
    ).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect(await ended(held.id)).toMatchObject({ state: 'done', applied: 0 });
    // The second read in a row without them.
    const second = await run();
    const summary = '20 lose access';
    expect(second).toMatchObject({ state: 'held', takes_access: true, summary });
    await operator('POST', `${base}/runs/${second.id}/approve`, { plan: second.plan?.digest });
    expect(await ended(second.id)).toMatchObject({ state: 'done' });
    expect(await overview()).toMatchObject({ connectors: { held: 0 }, attention: [] });
    expect(await native('GET', '/users?active=false')).toMatchObject({
      body: { total: 20 },
    });
  });

  it('keeps a record that fails, until it is retried', async () => {
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    hire('eve', { start: 'soon' });
    hire('max', { team: '=cmd()' });
    save();
    const done = await run();
    expect(done).toMatchObject({ state: 'done', failed: 1 });
    const { url } = await gateway.open();
    const report = await fetch(`${url}/admin/v1${base}/runs/${done.id}/report`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(report.headers.get('content-disposition')).toContain(`${done.id}.csv`);
    const lines = (await report.text()).trimEnd().split('\r\n');
    expect(lines[0]).toBe('record,name,user_id,action,outcome,changes,why,error,message');
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^max,MAX,[0-9a-f-]{36},create,applied,.*joins =cmd\(\)/),
      expect.stringMatching(/^eve,eve,,,failed,,,DATE,./),
    ]);
    const printed = await cli('report', '-o', 'csv');
    expect(printed.stdout.trimEnd().split('\r\n')).toEqual(lines);
    expect(await operator('GET', `${base}/quarantine`)).toMatchObject({
      body: { records: [{ record: 'eve', code: 'DATE', failures: 1 }] },
    });
    const explained = await operator<{
      readonly would_change: readonly { readonly remedy: { path: string; body: object } }[];
    }>('GET', `/tenants/${tenant.slug}/explain?user=eve@example.com&room=Dispatch`);
    expect(explained.body).toMatchObject({
      question: 'Why is eve@example.com not in the room "Dispatch"?',
      answer: {
        text: expect.stringMatching(/^Never created\. On .+ into quarantine \(DATE\): /) as string,
        not_member_because: 'never_created',
      },
    });
    const { path, body } = explained.body.would_change[0]!.remedy;
    expect(await operator('POST', path.replace('/admin/v1', ''), body)).toMatchObject({
      status: 204,
    });
    expect(await operator('POST', `${base}/quarantine/retry`, { record: 'nobody' })).toMatchObject({
      status: 404,
      body: { error: 'CONNECTOR_RECORD_NOT_FOUND' },
    });
    hire('eve');
    save();
    await run({ records: ['eve'] });
    expect(await operator('GET', `${base}/quarantine`)).toMatchObject({ body: { records: [] } });
  });

  it('is listed by the command that the error for an unknown name has', async () => {
    expect(await operator('GET', `/tenants/${tenant.slug}/connectors/payroll`)).toMatchObject({
      status: 404,
      body: {
        error: 'CONNECTOR_NOT_FOUND',
        message: expect.stringContaining(`rollgate connector list ${tenant.slug}`) as string,
      },
    });
  });

  it('can be paused and resumed', async () => {
    expect(await operator('POST', `${base}/pause`)).toMatchObject({ body: { state: 'paused' } });
    expect(await operator('POST', `${base}/resume`)).toMatchObject({ body: { state: 'ready' } });
  });

  it('names no user for a person who could not be created', async () => {
    hire('ada');
    save();
    await run();
    await operator('PATCH', `/tenants/${tenant.slug}`, { seat_capacity: 1 });
    hire('gus');
    save();
    const done = await run({ records: ['gus'] });
    expect(done).toMatchObject({ state: 'done', planned: { create: 1 }, applied: 0, failed: 1 });
    expect(await operator('GET', `${base}/runs/${done.id}/plan`)).toMatchObject({
      body: { items: [{ outcome: 'failed', code: 'SEAT_CAPACITY_REACHED', user_id: null }] },
    });
  });
});
