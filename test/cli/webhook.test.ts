import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { operatorCli, tenantCli } from './real-cli.js';
import { eventually } from '../support/eventually.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(() => ({ ...env(), ROLLGATE_WEBHOOKS_RETRY: '' }));
let tenant: TestTenant;
const integrator = tenantCli(gateway, () => tenant);
const operator = operatorCli(gateway);

beforeAll(async () => {
  await open();
  await gateway.open();
});
beforeEach(async () => {
  receiver().setBehaviour({ kind: 'answer', status: 200 });
  tenant = await gateway.tenant();
});

const run = (verb: string, ...words: readonly string[]) =>
  integrator(['webhook', verb, tenant.slug, ...words]);

const create = (...words: readonly string[]) =>
  run('create', `${receiver().url}/hook`, '--description', 'Badges', ...words);

const webhook = async () => {
  const { body } = await tenant.native<{ webhooks: Record<string, unknown>[] }>('GET', '/webhooks');
  return body.webhooks[0];
};

describe('webhook create', () => {
  it('creates a webhook and shows its secret once', async () => {
    const words = ['--event', 'user.*', '--event', 'group.created', '--header', 'X-Team: identity'];
    const { exitCode, stdout, stderr } = await create(...words);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('Created webhook Badges.\n\n');
    expect(stdout).toMatch(
      /^description +Badges\nendpoint +https:\S+\nevents +user\.\* group\.created\n/,
    );
    expect(stdout).toMatch(/\nheaders +X-Team\n/);
    expect(stdout).toMatch(/\n\nsigning secret +whsec_\S+\n$/);
    expect((await run('show', 'Badges')).stdout).not.toContain('whsec_');
  });

  it('prints the secret alone with --quiet, and with everything else with --json', async () => {
    const { stdout } = await create('--event', '*', '--quiet');
    expect(stdout).toMatch(/^whsec_\S+\n$/);
    const json = await create('--event', '*', '--json', '--secret', 'a secret of our own');
    expect(JSON.parse(json.stdout)).toMatchObject({ secret: 'a secret of our own' });
  });

  it.each([
    ['a webhook without events', [], "required option '--event, --events <names>' not specified"],
    ['a malformed header', ['--event', '*', '--header', 'X-Team'], 'Use "Name: value".'],
  ])('refuses %s', async (_what, words, hint) => {
    const { exitCode, stderr } = await create(...words);
    expect([exitCode, stderr]).toMatchObject([2, expect.stringContaining(hint)]);
    expect(await webhook()).toBeUndefined();
  });
});

describe('webhook list and show', () => {
  it('show webhooks to operators, too', async () => {
    await create('--event', '*');
    for (const cli of [operator, integrator]) {
      const { stdout } = await cli(['webhook', 'list', tenant.slug]);
      expect(stdout).toMatch(
        /^DESCRIPTION +ENDPOINT +EVENTS +STATUS +LAST DELIVERY +ID\nBadges +https:\S+ +\* +active +- /,
      );
    }
    const { stdout } = await run('show', 'badges', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ description: 'Badges', status: 'active' });
  });
});

describe('with the admin token', () => {
  const byOperator = (verb: string, ...words: readonly string[]) =>
    operator(['webhook', verb, tenant.slug, ...words]);

  it('webhooks are created, tested, changed and deleted', async () => {
    // When an operator creates a webhook
    const url = `${receiver().url}/hook`;
    const created = await byOperator('create', url, '--event', '*', '--description', 'Badges');
    // Then its secret is shown, and all other writes work
    expect(created).toMatchObject({ exitCode: 0 });
    expect(created.stdout).toMatch(/\n\nsigning secret +whsec_\S+\n$/);
    expect(await byOperator('test', 'Badges')).toMatchObject({ exitCode: 0 });
    expect(await byOperator('rotate-secret', 'Badges')).toMatchObject({ exitCode: 0 });
    expect(await byOperator('update', 'Badges', '--event', 'user.*')).toMatchObject({
      exitCode: 0,
    });
    expect(await webhook()).toMatchObject({ url, events: ['user.*'] });
    expect(await byOperator('delete', 'Badges', '--yes')).toMatchObject({ exitCode: 0 });
    expect(await webhook()).toBeUndefined();
  });
});

describe('webhook update and delete', () => {
  it('updates what is given', async () => {
    await create('--event', '*', '--header', 'X-Team: identity', '--header', 'X-Env: test');
    const words = ['--status', 'disabled', '--remove-header', 'X-Team', '--header', 'X-Env: live'];
    const { exitCode, stderr } = await run('update', 'Badges', ...words);
    expect([exitCode, stderr]).toEqual([0, 'Updated webhook Badges.\n\n']);
    expect(await webhook()).toMatchObject({ status: 'disabled', header_names: ['X-Env'] });
    await run('update', 'Badges', '--endpoint', `${receiver().url}/other`, '--description', 'none');
    expect(await webhook()).toMatchObject({ url: `${receiver().url}/other`, description: null });
  });
});

describe('webhook test', () => {
  beforeEach(() => create('--event', '*'));

  it('sends a test event and prints the response', async () => {
    receiver().queueBehaviours({ kind: 'answer', status: 200, body: 'thanks' });
    const { exitCode, stdout, stderr } = await run('test', 'Badges');
    expect([exitCode, stderr]).toEqual([0, 'Delivered the test event.\n\n']);
    expect(stdout).toMatch(/^status +200\nduration +\d+ ms\nerror +-\nbody +thanks\n$/);
  });

  it('exits with 1 if the receiver fails', async () => {
    receiver().queueBehaviours({ kind: 'answer', status: 500 });
    const { exitCode, stderr, stdout } = await run('test', 'Badges', '--json');
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toMatchObject({ delivered: false, status: 500 });
  });
});

describe('webhook rotate-secret', () => {
  it.each([
    [
      [],
      'Both secrets sign for 24 h. X-Service-Signature is of the new one, X-Service-Signature-Previous of the old one.',
    ],
    [
      ['--switch', 'after_overlap', '--overlap-hours', '2'],
      'Both secrets sign for 2 h. X-Service-Signature is of the old one, X-Service-Signature-Next of the new one.',
    ],
    [['--overlap-hours', '0'], 'Only the new secret signs.'],
  ])('says what signs from now on, with %j', async (words, text) => {
    await create('--event', '*');
    expect((await run('rotate-secret', 'Badges', ...words)).stderr).toContain(text);
  });

  it('prints only the new secret to standard output', async () => {
    await create('--event', '*');
    const { exitCode, stdout } = await run('rotate-secret', 'Badges', '--overlap-hours', '1');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^whsec_\S+\n$/);
  });
});

describe('delivery', () => {
  const delivery = (verb: string, ...words: readonly string[]) =>
    integrator(['delivery', verb, tenant.slug, 'Badges', ...words]);
  const stateIs = (state: string, attempts: number) =>
    eventually(async () => {
      const { stdout } = await delivery('list', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ deliveries: [{ state }] });
      const { deliveries } = JSON.parse(stdout) as { deliveries: { attempts: unknown[] }[] };
      expect(deliveries[0]!.attempts).toHaveLength(attempts);
    });

  beforeEach(async () => {
    receiver().setBehaviour({ kind: 'answer', status: 503 });
    await create('--event', 'user.created');
    await tenant.native('POST', '/users', { email: 'ada@example.com' });
    await stateIs('failed', 1);
  });

  it('list and show print deliveries and their attempts', async () => {
    const { stdout } = await delivery('list', '--state', 'failed', '--since', '1h');
    expect(stdout).toMatch(
      /^SEQ +TIME +EVENT +SUBJECT +STATE +ATTEMPTS +NEXT ATTEMPT +ERROR +WEBHOOK +ID\n/,
    );
    expect(stdout).toMatch(
      /\n +1 +\S+Z +user\.created +ada@example\.com +failed +1 +- +\S.* \S{36} +\S{36}\n/,
    );
    const all = await operator(['delivery', 'list', tenant.slug, '--state', 'failed']);
    expect(all.stdout).toBe(stdout);
    const id = (await delivery('list', '--quiet')).stdout.trim();
    const shown = await operator(['delivery', 'show', tenant.slug, 'Badges', id]);
    expect(shown.stdout).toMatch(/\nstate +failed\n/);
    expect(shown.stdout).toMatch(/\n\nATTEMPT +STATUS +DURATION +ERROR\n\S+Z +503 +\d+ ms +\S/);
    const events = ['--event', 'room.*,user.created', '--events', 'user.deleted'];
    expect((await delivery('list', ...events, '--quiet')).stdout.trim()).toBe(id);
    expect((await delivery('list', '--event', 'room.*', '--quiet')).stdout).toBe('');
    const none = await delivery('list', '--state', 'pending');
    expect([none.stdout, none.stderr]).toEqual(['', 'No matching deliveries.\n']);
  });

  it.each([
    ['the admin token', operator],
    ['an API key', integrator],
  ])('redeliver sends a delivery again, with %s', async (_what, cli) => {
    receiver().setBehaviour({ kind: 'answer', status: 200 });
    const id = (await delivery('list', '--quiet')).stdout.trim();
    const words = ['delivery', 'redeliver', tenant.slug, 'Badges', id];
    const { exitCode, stderr } = await cli(words);
    expect([exitCode, stderr]).toEqual([0, 'Requeued delivery of user.created 1.\n']);
    await stateIs('delivered', 2);
  });

  it.each([
    ['the admin token', operator],
    ['an API key', integrator],
  ])('webhook recover redelivers failed ones and shows progress, with %s', async (_what, cli) => {
    receiver().setBehaviour({ kind: 'answer', status: 200 });
    const words = ['webhook', 'recover', tenant.slug, 'Badges', '--since', '1h'];
    const { exitCode, stdout, stderr } = await cli(words);
    expect([exitCode, stderr]).toEqual([0, 'Started the recovery.\n\n']);
    const [, id = ''] = /\nid +(\S+)\n$/.exec(stdout) ?? [];
    const { stdout: progress } = await run('recovery', 'Badges', id);
    expect(progress).toMatch(/^state +\S+\nsince +\S+Z\nrequeued +\d\nid +\S{36}\n$/);
    await stateIs('delivered', 2);
  });
});
