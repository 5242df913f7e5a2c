import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './deploy-file.js';

/** A manifest of Kubernetes, as YAML has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** `apps/v1 Deployment` is `kubernetes-models/apps/v1`; custom resources have no types there. */
const isBuiltIn = ({ apiVersion }: Manifest): boolean =>
  /^([a-z]+\/)?v\d+$|\.k8s\.io\//.test(apiVersion);

const declare = (manifest: Manifest, index: number): string =>
  [
    `import type { I${manifest.kind} as Kind${index} } from 'kubernetes-models/${manifest.apiVersion}';`,
    `export const manifest${index}: Kind${index} = ${JSON.stringify(manifest, null, 1)};`,
  ].join('\n');

/**
 * What the compiler has against these manifests, by the types of Kubernetes' own schemas. As it does
 * with any literal, it finds unknown fields, missing ones and values of another type.
 */
export const findMistakes = async (manifests: readonly Manifest[]): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-manifests-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'manifests.ts');
    await writeFile(file, manifests.filter(isBuiltIn).map(declare).join('\n'));
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      module: ts.ModuleKind.CommonJS,
      moduleResolution: ts.ModuleResolutionKind.Node10,
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
