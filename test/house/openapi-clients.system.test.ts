import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientIn } from '../../tools/openapi/clients-in-docs.js';

const ROOT = new URL('../../', import.meta.url);
const DOCUMENT = readFileSync(new URL('openapi.json', ROOT), 'utf8');

/** In the repository, so that the client finds the packages that it imports. */
let folder: string;

beforeAll(() => {
  const parent = new URL('node_modules/.cache/', ROOT).pathname;
  mkdirSync(parent, { recursive: true });
  folder = mkdtempSync(join(parent, 'openapi-client-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compile = (files: readonly string[], more: ts.CompilerOptions = {}): readonly string[] => {
  const program = ts.createProgram([...files], {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    skipLibCheck: true,
    ...more,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
};

describe('clients of the OpenAPI document', () => {
  it('compile strictly when openapi-typescript generates their types (docs/clients.md)', async () => {
    // Given the types of the document and the program of the docs
    const types = join(folder, 'rollgate.d.ts');
    writeFileSync(types, astToString(await openapiTS(DOCUMENT)));
    const program = join(folder, 'client.mts');
    writeFileSync(program, clientIn('openapi-typescript'));

    // When both are compiled
    const errors = compile([types, program]);

    // Then no type is missing, wider or narrower than the program expects
    expect(errors).toEqual([]);
  });

  it.each(['rollgate-client', 'webhook-receiver'] as const)(
    'compile strictly with rollgate/client: %s in the docs',
    (name) => {
      const program = join(folder, `${name}.mts`);
      const client = new URL('src/client/index.ts', ROOT).pathname;
      // TypeScript files of the repository, as the package's declarations are not built here.
      const source = clientIn(name).replace("'rollgate/client'", `'${client}'`);
      writeFileSync(program, source);
      expect(compile([program], { allowImportingTsExtensions: true })).toEqual([]);
    },
  );

  it('get the type of a write from its response, not a union with its dry run', async () => {
    const types = join(folder, 'rollgate.d.ts');
    writeFileSync(types, astToString(await openapiTS(DOCUMENT)));
    const program = join(folder, 'wrong.mts');
    // Given a program that takes the response of a write for a dry run
    writeFileSync(
      program,
      `import createClient from 'openapi-fetch';
       import type { paths } from './rollgate.js';
       const { data } = await createClient<paths>().PATCH('/v1/{tenantSlug}/users/{id}', {
         params: { path: { tenantSlug: 'acme', id: '1' } }, body: { active: false } });
       console.log(data?.dry_run);`,
    );

    // Then the compiler refuses it
    expect(compile([types, program])).toEqual([
      expect.stringContaining("Property 'dry_run' does not exist"),
    ]);
  });
});

describe('the OpenAPI document', () => {
  it('has no error by the recommended rules of its linter', async () => {
    const problems = await lintFromString({
      source: DOCUMENT,
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended'] }),
    });
    const found = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer ?? ''}`);
    // A request header selects the response of a dry run, which OpenAPI cannot express.
    // The sign-in redirects browsers, and has no 2xx response.
    expect(found).toEqual([
      'operation-2xx-response #/paths/~1admin~1v1~1oidc~1start/get/responses',
      'operation-2xx-response #/paths/~1admin~1v1~1oidc~1callback/get/responses',
      'no-unused-components #/components/responses/DryRunPreview',
    ]);
  });
});
