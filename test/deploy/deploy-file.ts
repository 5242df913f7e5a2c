import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { listSettings } from '../../config/list-settings.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the repository, by its path from the root. */
export const readDeployFile = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const SETTINGS = listSettings(BUILT_IN_PLUGINS);
const VARIABLES = new Set([
  ...SETTINGS.flatMap(({ variable, aliases, isSecret }) =>
    [variable, ...aliases].flatMap((name) => (isSecret ? [name, `${name}_FILE`] : [name])),
  ),
  ...OTHER_VARIABLES.filter(({ readBy }) => readBy === 'serve').map(({ name }) => name),
]);

/** Every `ROLLGATE_…` variable is one that a gateway reads; others would not let it start. */
export const expectVariables = (names: Iterable<string>): void => {
  const ours = [...names].filter((name) => name.startsWith('ROLLGATE_'));
  expect(ours).not.toEqual([]);
  expect(ours.filter((name) => !VARIABLES.has(name))).toEqual([]);
};
