import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/process/logger.js';

const logged = (write: (log: ReturnType<typeof createLogger>) => void): object => {
  const lines: string[] = [];
  write(createLogger('info', { write: (line: string) => lines.push(line) }));
  return JSON.parse(lines.join('')) as object;
};

describe('the log', () => {
  it('hides values of secret fields at any depth', () => {
    const fields = {
      route: '/v1',
      token: 'abc',
      request: { headers: { authorization: 'Bearer abc', accept: '*/*' } },
      users: [{ id: 1, phoneNumbers: [{ value: '+1 555 0100' }] }],
    };
    expect(logged((log) => log.info(fields, 'message'))).toMatchObject({
      msg: 'message',
      route: '/v1',
      token: '(hidden)',
      request: { headers: { authorization: '(hidden)', accept: '*/*' } },
      users: [{ id: 1, phoneNumbers: '(hidden)' }],
    });
  });

  it('hides them under every name of a secret or phone number, but no counts and flags', () => {
    const hidden = {
      pwd: 'a',
      userPin: 4711,
      otp: 1,
      apiKey: 'a',
      cell: '0171',
      msisdn: 491711234,
    };
    const shown = { shipping: 'a', smsLists: 3, hasToken: true, keyId: 'a' };
    const secrets = Object.keys(hidden).map((name) => [name, '(hidden)']);
    expect(logged((log) => log.info({ ...hidden, ...shown }, 'message'))).toMatchObject({
      ...Object.fromEntries(secrets),
      ...shown,
    });
  });

  it('does not change its arguments', () => {
    const fields = { deep: { secret: 'abc' } };
    logged((log) => log.info(fields, 'message'));
    expect(fields).toEqual({ deep: { secret: 'abc' } });
  });

  it('logs an error with its causes, without the rejected document', () => {
    const cause = Object.assign(new Error('E11000 dup key: { name: "Ada" }'), { code: 11000 });
    const line = logged((log) => log.warn({ err: new Error('No.', { cause }) }, 'failed'));
    expect(line).toMatchObject({
      level: 'warn',
      err: { type: 'Error', message: 'No.', cause: { code: 11000, message: 'E11000 dup key' } },
    });
  });

  it('writes all lines before the process exits, also after an error', async () => {
    const logger = fileURLToPath(new URL('../../src/process/logger.ts', import.meta.url));
    const script = `
      const { createLogger } = await import(${JSON.stringify(logger)});
      createLogger('info').info({ n: 1 }, 'the last line');
      throw new Error('the end');
    `;
    const run = promisify(execFile)(process.execPath, [
      '--import=tsx',
      '--input-type=module',
      '--eval',
      script,
    ]);
    await expect(run).rejects.toMatchObject({
      stdout: expect.stringContaining('the last line') as string,
      stderr: expect.stringContaining('the end') as string,
    });
  });
});
