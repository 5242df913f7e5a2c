/** A user in an identity provider's directory. */
export interface Person {
  readonly given: string;
  readonly family: string;
  readonly title: string;
}

export const nameOf = ({ given, family }: Person): string => `${given} ${family}`;

export const emailOf = ({ given, family }: Person): string =>
  `${given}.${family}@harbour.example`.toLowerCase();

export const OKTA_PEOPLE = {
  ada: { given: 'Ada', family: 'Lovelace', title: 'Dispatcher' },
  grace: { given: 'Grace', family: 'Hopper', title: 'Watch officer' },
  mary: { given: 'Mary', family: 'Jackson', title: 'Radio operator' },
} as const satisfies Readonly<Record<string, Person>>;

export const ENTRA_PEOPLE = {
  alan: { given: 'Alan', family: 'Turing', title: 'Analyst' },
  joan: { given: 'Joan', family: 'Clarke', title: 'Engineer' },
} as const satisfies Readonly<Record<string, Person>>;
