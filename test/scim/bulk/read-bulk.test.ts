import { describe, expect, it } from 'vitest';
import { RefusalError } from '../../../src/domain/refusals.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { readBulk } from '../../../src/scim/bulk/read-bulk.js';

const post = { method: 'post', path: '/Users', bulkId: 'u', data: {} };

const refusalOf = (body: JsonObject, most = 10) => {
  try {
    readBulk(body, most);
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
  return undefined;
};

describe('the envelope of a Bulk', () => {
  it('takes methods in any case and versions with or without their marks', () => {
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

  it('may have names in any case', () => {
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

  it('takes null for what is not said, as clients write it that name every member', () => {
    const { operations } = readBulk(
      { Operations: [{ method: 'DELETE', path: '/Users/1', bulkId: null, version: null }] },
      10,
    );
    expect(operations).toEqual([{ method: 'DELETE', path: '/Users/1', data: undefined }]);
  });

  it("holds a version that is none of ours to be nobody's", () => {
    const { operations } = readBulk(
      { Operations: [{ method: 'DELETE', path: '/Users/1', version: 'W/"abc"' }] },
      10,
    );
    expect(operations[0]?.ifMatch).toEqual([]);
  });

  it.each([
    ['no operations', {}],
    ['none in the list', { Operations: [] }],
    ['something else than a list', { Operations: 'x' }],
    ['an operation that is no object', { Operations: [1] }],
    ['an operation without a path', { Operations: [{ method: 'POST' }] }],
    ['a bulkId that is no text', { Operations: [{ ...post, bulkId: 7 }] }],
    ['a path in two ways', { Operations: [{ ...post, Path: '/Groups' }] }],
    ['a bulkId twice', { Operations: [post, post] }],
    ['failOnErrors of zero', { failOnErrors: 0, Operations: [post] }],
    ['failOnErrors as text', { failOnErrors: '1', Operations: [post] }],
  ])('is refused with %s', (_what, body) => {
    expect(refusalOf(body)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('is refused with 413 tooMany above the limit, and taken at it', () => {
    const Operations = Array.from({ length: 4 }, (_, at) => ({ ...post, bulkId: `${at}` }));
    expect(refusalOf({ Operations }, 3)).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      scimType: 'tooMany',
    });
    expect(refusalOf({ Operations }, 4)).toBeUndefined();
  });
});
