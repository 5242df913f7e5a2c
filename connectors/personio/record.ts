import { type JsonObject, type JsonValue, z } from '../../src/plugin/api.js';

const Text = z.string().nullish();
const Id = z.union([z.string(), z.number()]).transform(String);
const Reference = z.object({ id: Id.nullish() }).nullish();

/** A person as Personio sends it. */
export const Person = z.object({
  id: Id,
  email: Text,
  first_name: Text,
  last_name: Text,
  preferred_name: Text,
  status: Text,
  custom_attributes: z
    .array(z.object({ id: Id.nullish(), global_id: Text, value: z.unknown() }))
    .nullish(),
});

/** An employment as Personio sends it. */
export const Employment = z.object({
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

export type Person = z.infer<typeof Person>;
export type Employment = z.infer<typeof Employment>;

/** A person as the connector yields it. */
export const PersonioRecord = z
  .looseObject({ id: z.string(), status: z.string().nullable() })
  .transform((record) => record as JsonObject);

/** The record of a person and their employments. */
export const recordOf = (
  person: Person,
  employments: readonly Employment[],
): JsonObject & { readonly id: string } => {
  const chain = currentChain(employments);
  const current = chain.find(({ status }) => status === 'ACTIVE' || status === 'LEAVE') ?? chain[0];
  const end = chain.at(-1);
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
    start_date: chain[0]?.employment_start_date ?? null,
    last_day: end ? lastDayOf(end) : null,
    contract_end_date: end?.contract_end_date ?? null,
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

/**
 * The employments that count now: the first that has not ended and those that follow without a gap,
 * so that a change of contract is no exit. If all have ended, the last one.
 */
const currentChain = (employments: readonly Employment[]): readonly Employment[] => {
  const byStart = employments.toSorted((a, b) => compare(startOf(a), startOf(b)));
  const [first, ...later] = byStart.filter(({ status }) => LIVE.has(status ?? ''));
  if (!first) return byStart.slice(-1);
  const chain = [first];
  let end = lastDayOf(first);
  for (const next of later) {
    if (end !== null && startOf(next) > dayAfter(end)) break;
    chain.push(next);
    end = lastDayOf(next);
  }
  return chain;
};

const startOf = ({ employment_start_date: start }: Employment): string => start ?? '';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Access ends with the work, which may be before the contract ends. */
const lastDayOf = ({ termination, employment_end_date: end }: Employment): string | null =>
  termination?.last_working_day ?? termination?.termination_date ?? end ?? null;

const dayAfter = (date: string): string =>
  new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);

/** Custom attributes by their global id, or by their id if they have none. */
const customOf = ({ custom_attributes: attributes }: Person): JsonObject =>
  Object.fromEntries(
    (attributes ?? []).flatMap(({ id, global_id: globalId, value }) => {
      const key = globalId ?? id;
      return key == null ? [] : [[key, (value ?? null) as JsonValue]];
    }),
  );
