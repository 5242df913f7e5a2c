import type { ExplainReader } from '../ports/command-log.js';

/** "operator of your provider" in sentences: also of what the provider's programs did. */
const ANY_OPERATOR = { actor: 'operator:', actorName: 'of your provider' } as const;

/** Only what came over SCIM is of the customer's identity provider. */
const isEntryOfOperator = (value: object): boolean =>
  'actorName' in value && 'source' in value && value.source !== 'scim';

/** The same facts, with entries of the log that name no operator, key of a program, or connector. */
const maskOperators = (facts: unknown): unknown => {
  if (Array.isArray(facts)) return facts.map(maskOperators);
  if (typeof facts !== 'object' || facts === null) return facts;
  if (Object.getPrototypeOf(facts) !== Object.prototype) return facts;
  const masked = Object.entries(facts).map(([name, value]) => [name, maskOperators(value)]);
  return { ...Object.fromEntries(masked), ...(isEntryOfOperator(facts) && ANY_OPERATOR) };
};

type Read = (...query: readonly unknown[]) => Promise<unknown>;

/** For the administrators of customers: who works at their provider is not for them. */
export const withoutOperators = (explain: ExplainReader): ExplainReader => {
  const masked = Object.entries(explain).map(([name, read]) => [
    name,
    async (...query: readonly unknown[]) => maskOperators(await (read as Read)(...query)),
  ]);
  return Object.fromEntries(masked) as ExplainReader;
};
