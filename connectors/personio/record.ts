import { type JsonObject, type JsonValue, z } from '../../src/plugin/api.js';
import { withoutGaps } from '../rest/employments.js';

const Text = z.string().nullish();
const Id = z.union([z.string(), z.number()]).transform(String);
const Reference = z.object({ id: Id.nullish() }).nullish();

/** An employment as Personio sends it. */
const Employment = z.object({
  id: Id,
  status: Text,
  type: Text,
  employment_start_date: Text,
  employment_end_date: Text,
  contract_end_date: Text,
  position: z.object({ title: Text }).nullish(),
  supervisor: Reference,
  office: Reference,
  legal_entity: Reference,
  org_units: z.array(z.object({ type: Text, id: Id.nullish() })).nullish(),
  termination: z.object({ termination_date: Text, last_working_day: Text }).nullish(),
});

/** A person as Personio sends it, with the employments of another request. */
const Person = z.object({
  id: Id,
  email: Text,
  first_name: Text,
  last_name: Text,
  preferred_name: Text,
  status: Text,
  custom_attributes: z
    .array(z.object({ id: Id.nullish(), global_id: Text, value: z.unknown() }))
    .nullish(),
  employments: z.array(Employment),
});

type Person = z.infer<typeof Person>;
type Employment = z.infer<typeof Employment>;

/** A person as the connector yields it. */
export const PersonioRecord = z
  .looseObject({ id: z.string(), status: z.string().nullable() })
  .transform((record) => record as JsonObject);

/** The record of a person and their employments; a text if there is none. */
export const recordOf = (data: JsonObject, maxEmployments: number): JsonObject | string => {
  const { success, data: person, error } = Person.safeParse(data);
  if (!success)
    return `Personio sent this person in another form: ${error.issues[0]?.path.join('.') ?? ''}.`;
  if (person.employments.length >= maxEmployments)
    return `Personio sent ${maxEmployments} employments of this person; there may be more.`;
  const live = person.employments.filter(({ status }) => LIVE.has(status ?? ''));
  // If all have ended, the last one counts.
  const last = person.employments.toSorted(byStart).slice(-1);
  const { joined, start, end } = withoutGaps(live.length > 0 ? live : last, daysOf);
  const current =
    joined.find(({ status }) => status === 'ACTIVE' || status === 'LEAVE') ?? joined[0];
  const unit = (type: string): string | null =>
    current?.org_units?.find((candidate) => candidate.type?.toLowerCase() === type)?.id ?? null;
  return {
    id: person.id,
    email: person.email ?? null,
    first_name: person.first_name ?? null,
    last_name: person.last_name ?? null,
    preferred_name: person.preferred_name ?? null,
    status: person.status ?? null,
    employment_status: current?.status ?? null,
    employment_type: current?.type ?? null,
    start_date: start,
    last_day: end,
    contract_end_date: joined.at(-1)?.contract_end_date ?? null,
    position: current?.position?.title ?? null,
    supervisor_id: current?.supervisor?.id ?? null,
    office_id: current?.office?.id ?? null,
    legal_entity_id: current?.legal_entity?.id ?? null,
    department_id: unit('department'),
    team_id: unit('team'),
    custom: customOf(person),
  };
};

/** The person's status ACTIVE covers these statuses of an employment. */
const LIVE = new Set(['ACTIVE', 'LEAVE', 'ONBOARDING']);

const byStart = (a: Employment, b: Employment): number =>
  (a.employment_start_date ?? '') < (b.employment_start_date ?? '') ? -1 : 1;

/** Access ends with the work, which may be before the contract ends. */
const daysOf = ({
  employment_start_date: start,
  employment_end_date: end,
  termination,
}: Employment) => ({
  start: start ?? null,
  end: termination?.last_working_day ?? termination?.termination_date ?? end ?? null,
});

/** Custom attributes by their global id, or by their id if they have none. */
const customOf = ({ custom_attributes: attributes }: Person): JsonObject =>
  Object.fromEntries(
    (attributes ?? []).flatMap(({ id, global_id: globalId, value }) => {
      const key = globalId ?? id;
      return key == null ? [] : [[key, (value ?? null) as JsonValue]];
    }),
  );
