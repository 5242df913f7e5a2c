import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const CONNECTOR = 'hr';

export interface EmployeesFolder {
  /** Where the connector finds its files. */
  readonly files: string;
  /** Makes a gateway read it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder for files of employees, and the settings of a connector that reads it. */
export const createEmployeesFolder = async (
  folder: string,
  { label, tenant }: { readonly label: string; readonly tenant: string },
): Promise<EmployeesFolder> => {
  const files = join(folder, `${label}-files`);
  await mkdir(files, { recursive: true });
  const path = join(folder, `${label}.yaml`);
  const settings = { folder: files, ready: 'renamed' };
  // JSON is YAML.
  const connectors = { [CONNECTOR]: { use: 'csv', tenant, settings } };
  await writeFile(path, JSON.stringify({ connectors }));
  return { files, environment: { ROLLGATE_CONFIG: path } };
};
