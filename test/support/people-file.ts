import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a JSON file: the smallest connector. */
const CONNECTOR = `
import { readFileSync } from 'node:fs';
export default ({ defineConnector, z }) => defineConnector({
  apiVersion: 1,
  name: 'people-file',
  title: 'People in a file',
  description: 'Reads people from a file.',
  triedAgainst: 'server',
  settings: z.strictObject({ file: z.string().describe('The file.') }),
  record: z.looseObject({ mail: z.string() }),
  mapping: { userName: { path: 'mail', required: true }, email: 'mail', displayName: 'name', title: 'title', manager: 'boss' },
  lifecycle: { start: 'start', end: 'end' },
  start: ({ settings }) => {
    const people = () => JSON.parse(readFileSync(settings.file, 'utf8'));
    return {
      check: () => Promise.resolve({ ok: true, message: people().length + ' people.' }),
      read: async function* ({ ids }) {
        for (const { id, ...data } of people())
          if (!ids || ids.includes(id)) yield { type: 'record', id, data };
        yield { type: 'complete', cursor: null };
      },
    };
  },
});
`;

export interface Person {
  readonly id: string;
  readonly mail: string;
  readonly [field: string]: string;
}

/** A file of people that the connector `hr` of a tenant reads. */
export interface PeopleFile {
  readonly config: string;
  readonly save: (people: readonly Person[]) => void;
}

interface Section {
  readonly name: string;
  readonly tenant: string;
  readonly file: string;
  readonly schedule?: string;
  readonly map?: object;
}

/** As JSON, which is YAML too. */
const sectionOf = ({ name, tenant, file, schedule, map }: Section): string => {
  const options = {
    use: './people-file.mjs',
    tenant,
    settings: { file },
    groups: [{ path: 'team' }],
    ...(map !== undefined && { map }),
    ...(schedule !== undefined && { schedule: { full: schedule } }),
  };
  return `  ${name}: ${JSON.stringify(options)}\n`;
};

const writeConfig = (folder: string, sections: readonly Section[]): string => {
  const config = join(folder, 'rollgate.yaml');
  writeFileSync(join(folder, 'people-file.mjs'), CONNECTOR);
  writeFileSync(config, `connectors:\n${sections.map(sectionOf).join('')}`);
  for (const { file } of sections) writeFileSync(file, '[]');
  return config;
};

/** Empty at first; without a schedule, only operators start runs. */
export const peopleFile = (
  folder: string,
  tenant: string,
  options: Pick<Section, 'schedule' | 'map'> = {},
): PeopleFile => {
  const file = join(folder, 'people.json');
  const config = writeConfig(folder, [{ name: 'hr', tenant, file, ...options }]);
  return { config, save: (people) => writeFileSync(file, JSON.stringify(people)) };
};

/** A file for each of the tenants `tenant-1` to `tenant-N`, which its connector `hr-tenant-1` reads. */
export const peopleFiles = (folder: string, tenants: number) => {
  const sections = Array.from({ length: tenants }, (_, at) => {
    const tenant = `tenant-${at + 1}`;
    return { name: `hr-${tenant}`, tenant, file: join(folder, `${tenant}.json`) };
  });
  return {
    config: writeConfig(folder, sections),
    save: (tenant: string, people: readonly Person[]) =>
      writeFileSync(join(folder, `${tenant}.json`), JSON.stringify(people)),
  };
};

const NAMES = ['Mary', 'Annie', 'Joan', 'Evelyn', 'Ida', 'Jean', 'Grete', 'Hedy', 'Karen', 'Adele'];

export const somePeople = (count: number): readonly Person[] =>
  Array.from({ length: count }, (_, at) => ({
    id: String(4_700 + at),
    mail: `person-${at}@example.com`,
    name: `${NAMES[at % NAMES.length] ?? ''} Person ${at}`,
    title: 'Driver',
    team: at % 2 === 0 ? 'Night shift' : 'Day shift',
  }));
