import { expect, it } from 'vitest';
import { EXIT } from '../../src/cli/cli-error.js';
import { runCli } from '../support/run-cli.js';

it('finds no error in the built-in plugins with default settings', async () => {
  const { exitCode, stdout, stderr } = await runCli(['plugin', 'check', '--json']);

  expect({ exitCode, stderr }).toEqual({ exitCode: EXIT.ok, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    plugins: [
      { name: 'webhooks', use: null, state: 'enabled' },
      { name: 'connectors', use: null, state: 'enabled' },
      { name: 'notifications', use: null, state: 'enabled' },
      { name: 'dashboard', use: null, state: 'enabled' },
    ],
    problems: [],
  });
});
