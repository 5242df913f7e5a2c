import { describe, expect, it } from 'vitest';
import { CANONICAL, openEdge } from '../support/edge.js';
import { ScimClient } from '../scim/scim-client.js';

const TITLE = { Operations: [{ op: 'replace', path: 'title', value: 'T' }] };

describe('a precondition', () => {
  const open = async () => {
    const scim = new ScimClient(await openEdge(), CANONICAL);
    return { scim, path: `/Users/${(await scim.create()).id}` };
  };

  const changes = [
    ['put', { userName: 'a' }],
    ['patch', TITLE],
    ['delete', undefined],
  ] as const;

  it.each(changes)('of %s is the version', async (verb, body) => {
    const { scim, path } = await open();
    const send = (header: string, tag: string) => scim.send(verb, path, body).set(header, tag);
    const answer = await send('If-Match', 'W/"2"').expect(412);
    expect(answer.body).toMatchObject({ status: '412', error: 'PRECONDITION_FAILED' });
    await send('If-None-Match', 'W/"1"').expect(412);
    expect((await scim.get(path).expect(200)).headers['etag']).toBe('W/"1"');
    expect((await send('If-Match', 'W/"1"')).status).toBeLessThan(300);
  });

  it('If-None-Match: * is never met by an existing user', async () => {
    const { scim } = await open();
    const unknownUser = '/Users/00000000-0000-4000-8000-00000000dead';
    await scim.put(unknownUser, { userName: 'a' }).set('If-None-Match', '*').expect(404);
    await scim.post('/Users', { userName: 'a' }).set('If-None-Match', '*').expect(201);
  });

  it('of a read is evaluated', async () => {
    const { scim, path } = await open();
    await scim.get(path).set('If-Match', 'W/"1"').expect(200);
    await scim.get(path).set('If-Match', 'W/"2"').expect(412);
  });

  it('returns 304 to a client with this version, if groups are not requested', async () => {
    const { scim, path } = await open();
    for (const query of [
      'excludedAttributes=groups',
      'attributes=userName',
      'attributes=emails,title',
    ]) {
      const answer = await scim.get(`${path}?${query}`).set('If-None-Match', '"1"').expect(304);
      expect(answer.text).toBe('');
      expect(answer.headers['etag']).toBe('W/"1"');
      await scim.get(`${path}?${query}`).set('If-None-Match', 'W/"2"').expect(200);
    }
  });

  it('returns no 304 if groups are requested, which the version does not cover', async () => {
    const { scim, path } = await open();
    for (const query of ['', '?attributes=groups', '?excludedAttributes=emails']) {
      const answer = await scim
        .get(path + query)
        .set('If-None-Match', 'W/"1"')
        .expect(200);
      expect(answer.headers['etag']).toBe('W/"1"');
    }
  });
});
