import { describe, expect, it } from 'vitest';
import { readSourceJson, requireOk, z } from '../../../src/plugin/api.js';

const messageOf = (status: number): string => {
  try {
    requireOk({ status }, { source: 'Acme HR' });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a response of a source', () => {
  it.each([
    [500, 'The fault is at the source'],
    [503, 'The fault is at the source'],
    [302, 'redirects to another host'],
    [304, 'has not changed since an earlier request'],
    [404, 'Check the settings of the connector.'],
  ])('with status %d names the cause', (status, message) => {
    expect(messageOf(status)).toContain(`Acme HR responded with ${status}. `);
    expect(messageOf(status)).toContain(message);
  });

  it.each([
    ['{}', '"employees" is missing, where a list is expected'],
    ['{"employees":7}', '"employees" is not a list'],
    ['{"employees":[{"id":null}]}', '"employees.0.id" is not text'],
    ['[]', 'the response is not an object'],
  ])('names what %s has in another form than expected', (body, fault) => {
    const schema = z.object({ employees: z.array(z.object({ id: z.string() })) });
    const response = { status: 200, headers: {}, body };
    expect(() => readSourceJson(response, schema, { source: 'Acme HR' })).toThrow(
      `Acme HR sent other data than expected: ${fault}.`,
    );
  });
});
