import { describe, expect, it } from 'vitest';
import { readBulk } from '../../../src/scim/bulk/read-bulk.js';
import { refusalOf } from '../refusal-of.js';

const post = { method: 'post', path: '/Users', bulkId: 'u', data: {} };

describe('readBulk', () => {
  it('accepts methods in any case, and versions with or without W/ and quotes', () => {
    const { operations } = readBulk(
      {
        Operations: [
          post,
          { method: 'DELETE', path: '/Users/1', version: 'W/"3"' },
          { method: 'DELETE', path: '/Users/1', version: '3' },
        ],
      },
      10,
    );
    expect(operations.map(({ method }) => method)).toEqual(['POST', 'DELETE', 'DELETE']);
    expect(operations.map(({ ifMatch }) => ifMatch)).toEqual([undefined, [3], [3]]);
  });

  it('accepts names in any case', () => {
    const bulk = readBulk(
      {
        FAILONERRORS: 2,
        operations: [{ Method: 'PUT', Path: '/Users/1', BulkID: 'b', Data: {}, VERSION: '3' }],
      },
      10,
    );
    expect(bulk).toEqual({
      failOnErrors: 2,
      operations: [{ method: 'PUT', path: '/Users/1', bulkId: 'b', data: {}, ifMatch: [3] }],
    });
  });

  it('treats null as absent', () => {
    const { operations } = readBulk(
      { Operations: [{ method: 'DELETE', path: '/Users/1', bulkId: null, version: null }] },
      10,
    );
    expect(operations).toEqual([{ method: 'DELETE', path: '/Users/1', data: undefined }]);
  });

  it('reads an unknown version as a precondition that never matches', () => {
    const { operations } = readBulk(
      { Operations: [{ method: 'DELETE', path: '/Users/1', version: 'W/"abc"' }] },
      10,
    );
    expect(operations[0]?.ifMatch).toEqual([]);
  });

  it.each([
    ['without Operations', {}],
    ['with an empty list of Operations', { Operations: [] }],
    ['with Operations that are not a list', { Operations: 'x' }],
    ['with an operation that is not an object', { Operations: [1] }],
    ['with an operation without a path', { Operations: [{ method: 'POST' }] }],
    ['with a bulkId that is not a string', { Operations: [{ ...post, bulkId: 7 }] }],
    ['with a path in two spellings', { Operations: [{ ...post, Path: '/Groups' }] }],
    ['with a duplicate bulkId', { Operations: [post, post] }],
    ['with failOnErrors of zero', { failOnErrors: 0, Operations: [post] }],
    ['with failOnErrors as a string', { failOnErrors: '1', Operations: [post] }],
  ])('refuses a body %s', (_what, body) => {
    expect(refusalOf(() => readBulk(body, 10))).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('refuses more operations than the limit with 413 tooMany', () => {
    const Operations = Array.from({ length: 4 }, (_, at) => ({ ...post, bulkId: `${at}` }));
    expect(refusalOf(() => readBulk({ Operations }, 3))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      scimType: 'tooMany',
    });
    expect(readBulk({ Operations }, 4).operations).toHaveLength(4);
  });
});
