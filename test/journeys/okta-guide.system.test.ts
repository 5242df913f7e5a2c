import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createResource, TestGateway } from '../support/gateway.js';

const gateway = TestGateway.use();
const run = promisify(execFile);
const guide = readFileSync(new URL('../../docs/guides/okta.md', import.meta.url), 'utf8');

/** Commands of the guide, each with the output that it shows. */
const SHOWN = [...guide.matchAll(/```console\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block.split(/^\$ /m).flatMap((part) => {
    if (!part.includes('curl')) return [];
    const lines = part.trimEnd().split('\n');
    const last = lines.findIndex((line) => !line.endsWith('\\'));
    return [
      { command: lines.slice(0, last + 1).join('\n'), output: lines.slice(last + 1).join('\n') },
    ];
  }),
);

/** The text without what differs in each run: ids, times, hosts. */
const stable = (text: string): string =>
  text
    .trim()
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f-]{27}|…)/g, 'ID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(/https?:\/\/[^/"]+\/v1\/[^/"]+/g, 'URL')
    .replaceAll(/W\/\\"[^\\]*\\"/g, 'VERSION');

it('the requests of the Okta guide return what it shows', async () => {
  const operator = await gateway.operator();
  const tenant = await gateway.tenant();
  await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
  const { url } = await gateway.open();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SCIM: `${url}/v1/${tenant.slug}/scim/v2`,
    KEY: tenant.key,
  };
  expect(SHOWN.length).toBeGreaterThanOrEqual(5);
  for (const { command, output } of SHOWN) {
    const { stdout } = await run('bash', ['-c', command], { env });
    expect([command, stable(stdout)]).toEqual([command, stable(output)]);
    const [, id] = /"id":"([^"]+)"/.exec(stdout) ?? [];
    if (command.includes('/Users ') && id !== undefined) env['ID'] = id;
  }
}, 30_000);
