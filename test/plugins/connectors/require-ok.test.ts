import { describe, expect, it } from 'vitest';
import { requireOk } from '../../../src/plugin/api.js';

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
    [404, 'Check the settings of the connector.'],
  ])('with status %d names the cause', (status, message) => {
    expect(messageOf(status)).toContain(`Acme HR responded with ${status}. `);
    expect(messageOf(status)).toContain(message);
  });
});
