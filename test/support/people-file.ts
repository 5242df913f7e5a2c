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

/** Empty at first; without a schedule, only operators start runs. */
export const peopleFile = (
  folder: string,
  tenant: string,
  { schedule, map }: { readonly schedule?: string; readonly map?: object } = {},
): PeopleFile => {
  const [file, config] = [join(folder, 'people.json'), join(folder, 'rollgate.yaml')];
  const save = (people: readonly Person[]) => writeFileSync(file, JSON.stringify(people));
  writeFileSync(join(folder, 'people-file.mjs'), CONNECTOR);
  writeFileSync(
    config,
    `connectors:
  hr:
    use: ./people-file.mjs
    tenant: ${tenant}
    settings: { file: ${JSON.stringify(file)} }
    groups: [{ path: team }]
${
  map === undefined
    ? ''
    : `    map: ${JSON.stringify(map)}
`
}${schedule === undefined ? '' : `    schedule: { full: "${schedule}" }\n`}`,
  );
  save([]);
  return { config, save };
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
