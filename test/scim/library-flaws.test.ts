import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/**
 * Flaws of scimmy 1.3.5 and scimmy-routers 1.3.2 that the gateway works around. Each test shows a
 * flaw in its own process, because most corrupt the process. If a test fails after an upgrade, the
 * library has fixed the flaw: check whether the workaround is still needed.
 */
const run = async (script: string): Promise<string> => {
  const source = `import SCIMMY from 'scimmy';\n${script}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', source],
    { cwd: fileURLToPath(new URL('../../', import.meta.url)), timeout: 20_000 },
  );
  return stdout.trim();
};

/** Serves the library's own resource classes over HTTP; `read` returns the JSON of a response. */
const SERVER = `
  import express from 'express';
  import SCIMMYRouters from 'scimmy-routers';
  const serve = async () => {
    const app = express();
    app.use('/:tenant', new SCIMMYRouters({ type: 'bearer', handler: () => 'x', baseUri: () => 'http://h' }));
    app.use((error, request, response, next) => response.status(599).end());
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    process.once('beforeExit', () => process.exit());
    server.unref();
    return 'http://127.0.0.1:' + server.address().port;
  };
  const read = async (url, options) => (await fetch(url, { ...options, headers: { connection: 'close', 'content-type': 'application/scim+json' } })).json();
`;

describe('scimmy', () => {
  it('S1: a filter can replace a global function', async () => {
    const printed = await run(`
      const before = Object.keys;
      const write = process.stdout.write.bind(process.stdout);
      process.once('uncaughtException', () => { write('replaced'); process.exit(); });
      new SCIMMY.Types.Filter('constructor.keys eq "x"');
      write(Object.keys === before ? 'safe' : 'replaced');
      process.exit();
    `);
    expect(printed).toContain('replaced');
  });

  it('S2: a filter can pollute Object.prototype', async () => {
    const printed = await run(`
      new SCIMMY.Types.Filter('name.__proto__.polluted eq "x"');
      console.log({}.polluted?.[1]);
    `);
    expect(printed).toBe('x');
  });

  it('S2: a body can pollute Object.prototype', async () => {
    const printed = await run(`
      SCIMMY.Schemas.User.definition.extend(SCIMMY.Schemas.EnterpriseUser.definition);
      const key = SCIMMY.Schemas.EnterpriseUser.id + ':__proto__.polluted';
      new SCIMMY.Schemas.User({ userName: 'a', [key]: 'x' }, 'in');
      console.log({}.polluted);
    `);
    expect(printed).toBe('x');
  });

  it('S3: an unclosed quote before line breaks takes exponential time', async () => {
    const printed = await run(`
      const time = (breaks) => {
        const start = process.cpuUsage();
        try { new SCIMMY.Types.Filter('userName eq "' + '\\n'.repeat(breaks)); } catch {}
        return process.cpuUsage(start).user;
      };
      time(14);
      console.log(time(22) / time(16) > 8);
    `);
    expect(printed).toBe('true');
  });

  it('S4: a conjunction of disjunctions is expanded to exponential size', async () => {
    const printed = await run(`
      const groups = Array.from({ length: 8 }, (_, at) => '(a' + at + ' eq 1 or b' + at + ' eq 2)');
      console.log(new SCIMMY.Types.Filter(groups.join(' and ')).length);
    `);
    expect(printed).toBe('256');
  });

  it("S5: a response can contain another tenant's URL", async () => {
    const printed = await run(`${SERVER}
      let release;
      const gate = new Promise((resolve) => (release = resolve));
      SCIMMY.Resources.declare(SCIMMY.Resources.User).egress(async ({ id }) => {
        if (id === 'slow') await gate;
        return { id, userName: id, meta: {} };
      });
      const base = await serve();
      const slow = read(base + '/acme/Users/slow');
      await read(base + '/acme/Users/first');
      await read(base + '/globex/Users/quick');
      release();
      console.log((await slow).meta.location);
    `);
    expect(printed).toBe('http://h/globex/Users/slow');
  });

  it('S6: paging parameters are wrong on express 5', async () => {
    const printed = await run(`${SERVER}
      const users = Array.from({ length: 61 }, (_, at) => ({ id: String(at), userName: 'u' + at, meta: {} }));
      SCIMMY.Resources.declare(SCIMMY.Resources.User).egress(async () => users);
      const base = await serve();
      const { startIndex, Resources } = await read(base + '/acme/Users?startIndex=11&count=50');
      console.log(startIndex, Resources.length);
    `);
    expect(printed).toBe('1 20');
  });

  it('S7: an unexpected error becomes 404', async () => {
    const printed = await run(`
      SCIMMY.Resources.declare(SCIMMY.Resources.User).egress(async () => { throw new Error('away'); });
      await new SCIMMY.Resources.User('x').read().catch(({ status }) => console.log(status));
    `);
    expect(printed).toBe('404');
  });

  it('S8: the statuses 405, 415, 429 and 503 cannot be returned', async () => {
    const printed = await run(`
      for (const status of [405, 415, 429, 503]) {
        try { new SCIMMY.Messages.ErrorResponse(new SCIMMY.Types.Error(status, null, 'x')); }
        catch (error) { console.log(error.constructor.name); }
      }
    `);
    expect(printed.split('\n')).toEqual(Array(4).fill('TypeError'));
  });

  it('S9: a PATCH with excludedAttributes erases the excluded attributes', async () => {
    const printed = await run(`${SERVER}
      let stored = { id: 'g', displayName: 'a', members: [{ value: 'u' }], meta: {} };
      SCIMMY.Resources.declare(SCIMMY.Resources.Group)
        .egress(async () => stored)
        .ingress(async (resource, data) => (stored = { ...data, id: 'g' }));
      const base = await serve();
      const body = { schemas: [SCIMMY.Messages.PatchOp.id], Operations: [{ op: 'replace', path: 'displayName', value: 'b' }] };
      await read(base + '/acme/Groups/g?excludedAttributes=members', { method: 'PATCH', body: JSON.stringify(body) });
      console.log(stored.displayName, stored.members);
    `);
    expect(printed).toBe('b undefined');
  });

  it('S10: a remove whose value contains a quote removes all members', async () => {
    const printed = await run(`
      const value = [{ value: 'zz" or value pr or value eq "' }];
      const Operations = [{ op: 'Remove', path: 'members', value }];
      const patch = new SCIMMY.Messages.PatchOp({ schemas: [SCIMMY.Messages.PatchOp.id], Operations });
      const members = [{ value: 'a' }, { value: 'b' }];
      const group = new SCIMMY.Schemas.Group({ id: 'g', displayName: 'g', members, meta: {} }, 'out');
      console.log((await patch.apply(group, async (patched) => patched)).members);
    `);
    expect(printed).toBe('undefined');
  });

  it('Bulk: a bulkId in a path is not resolved', async () => {
    const printed = await run(`
      SCIMMY.Resources.declare(SCIMMY.Resources.User)
        .ingress(async (resource, data) => ({ ...data, id: '1', meta: {} }))
        .degress(async ({ id }) => console.log(id));
      const data = { schemas: [SCIMMY.Schemas.User.id], userName: 'a' };
      const Operations = [
        { method: 'POST', path: '/Users', bulkId: 'u', data },
        { method: 'DELETE', path: '/Users/bulkId:u' },
      ];
      await new SCIMMY.Messages.BulkRequest({ schemas: [SCIMMY.Messages.BulkRequest.id], Operations }).apply();
    `);
    expect(printed).toBe('bulkId:u');
  });

  it('"not (a and b)" is read as "not a and not b"', async () => {
    const printed = await run(`
      console.log(JSON.stringify([...new SCIMMY.Types.Filter('not (a eq 1 and b eq 2)')]));
    `);
    expect(printed).toBe('[{"a":["not","eq",1],"b":["not","eq",2]}]');
  });

  it('a search with count 0 is refused', async () => {
    const printed = await run(`
      try { new SCIMMY.Messages.SearchRequest({ schemas: [SCIMMY.Messages.SearchRequest.id], count: 0 }); }
      catch (error) { console.log(error.message); }
    `);
    expect(printed).toContain('positive integer');
  });
});
