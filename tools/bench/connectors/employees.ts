import { mkdir, writeFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { SLUG } from '../servers/start-server.js';

export const CONNECTOR = 'hr';

interface EmployeesFolder {
  /** Where the connector finds its files. */
  readonly files: string;
  /** Makes a gateway read it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder for files of employees, and the settings of a connector that reads it. */
export const createEmployeesFolder = async (
  folder: string,
  label: string,
): Promise<EmployeesFolder> => {
  const files = join(folder, `${label}-files`);
  await mkdir(files, { recursive: true });
  const path = join(folder, `${label}.yaml`);
  const settings = { folder: files, ready: 'renamed' };
  // One percent of 500,000 employees are more changes than the default holds a run for.
  const safety = { maxChangeCount: 10_000 };
  // JSON is YAML.
  const connectors = { [CONNECTOR]: { use: 'csv', tenant: SLUG, settings, safety } };
  await writeFile(path, JSON.stringify({ connectors }));
  return { files, environment: { ROLLGATE_CONFIG: path } };
};

interface EmployeesFile {
  readonly employees: number;
  /** Of every hundred employees, the last one got another title. */
  readonly isOnePercentChanged?: boolean;
}

const HEADER =
  'employeeId,firstName,lastName,email,mobile,title,department,costCenter,manager,startDate,status';
const DEPARTMENTS = 40;
const TEAM = 10;
const FIRST_ID = 100_000;
const LINES = 1_000;

/** A team of ten has a manager anywhere in the file. */
const managerOf = (number: number, employees: number): number =>
  (Math.floor(number / TEAM) * 7_919) % employees;

const idOf = (number: number): string => String(FIRST_ID + number);

const employee = (
  number: number,
  { employees, isOnePercentChanged = false }: EmployeesFile,
): string => {
  const isChanged = isOnePercentChanged && number % 100 === 99;
  return [
    idOf(number),
    'Alex',
    `Employee ${number}`,
    `employee${number}@bench.example`,
    `+4915${String(10_000_000 + number)}`,
    isChanged ? 'Senior dispatcher' : 'Dispatcher',
    `Department ${number % DEPARTMENTS}`,
    `CC-${number % DEPARTMENTS}`,
    idOf(managerOf(number, employees)),
    '2020-01-01',
    'active',
  ].join(',');
};

/** Writes everybody to a file that gets its name when it is complete. */
export const writeEmployees = async (
  folder: string,
  name: string,
  file: EmployeesFile,
): Promise<void> => {
  const part = join(folder, `${name}.part`);
  const { employees } = file;
  const output = createWriteStream(part);
  output.write(`${HEADER}\n`);
  for (let from = 0; from < employees; from += LINES) {
    const lines = Array.from({ length: Math.min(LINES, employees - from) }, (_, at) =>
      employee(from + at, file),
    );
    if (!output.write(`${lines.join('\n')}\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'close');
  await rename(part, join(folder, name));
};
