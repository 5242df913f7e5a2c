import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';

export interface EmployeesFile {
  readonly employees: number;
  /** Of every hundred employees, the last one got another title. */
  readonly isOnePercentChanged?: boolean;
}

const HEADER =
  'employeeId,firstName,lastName,email,mobile,title,department,costCenter,manager,startDate,status';
const DEPARTMENTS = 40;
const TEAM = 10;
const LINES = 1_000;

/** Each of them, except for the first one, has a manager with a lower number. */
const employee = (number: number, isOnePercentChanged: boolean): string => {
  const isChanged = isOnePercentChanged && number % 100 === 99;
  return [
    String(number),
    'Alex',
    `Employee ${number}`,
    `employee${number}@bench.example`,
    `+4915${String(10_000_000 + number)}`,
    isChanged ? 'Senior dispatcher' : 'Dispatcher',
    `Department ${number % DEPARTMENTS}`,
    `CC-${number % DEPARTMENTS}`,
    number === 0 ? '' : String(Math.floor(number / TEAM)),
    '2020-01-01',
    'active',
  ].join(',');
};

/** Writes everybody to a file that gets its name when it is complete. */
export const writeEmployees = async (
  folder: string,
  name: string,
  { employees, isOnePercentChanged = false }: EmployeesFile,
): Promise<void> => {
  const part = join(folder, `${name}.part`);
  const file = createWriteStream(part);
  file.write(`${HEADER}\n`);
  for (let from = 0; from < employees; from += LINES) {
    const lines = Array.from({ length: Math.min(LINES, employees - from) }, (_, at) =>
      employee(from + at, isOnePercentChanged),
    );
    if (!file.write(`${lines.join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
  await rename(part, join(folder, name));
};
