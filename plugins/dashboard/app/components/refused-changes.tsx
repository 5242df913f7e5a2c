import { type Schema, useData } from '../ui.ts';
import { adviceFor } from '../refusal-advice.ts';
import { useReloads } from '../use-polling.ts';
import { nameOf } from './commands.tsx';
import { List } from './list.tsx';
import { Section } from './page.tsx';
import { type Column, TwoLines } from './table.tsx';

type Command = Schema<'Command'>;
type Refused = Command & { readonly count: number };

/** Identity providers repeat what was refused: one row for each change, newest first. */
const groupRefused = (commands: readonly Command[]): readonly Refused[] => {
  const groups = new Map<string, Refused>();
  for (const command of commands) {
    const { title, subject, error } = command;
    const key = [title, subject && nameOf(subject), error].join('\n');
    const known = groups.get(key);
    groups.set(key, { ...(known ?? command), count: (known?.count ?? 0) + 1 });
  }
  return [...groups.values()];
};

const COLUMNS: readonly Column<Refused>[] = [
  {
    title: 'Change',
    cell: ({ title, subject, message }) => (
      <TwoLines detail={message}>
        <span>
          {title} {subject && <strong>{nameOf(subject)}</strong>}
        </span>
      </TwoLines>
    ),
  },
  { title: 'What to do', cell: ({ error }) => adviceFor(error) },
  { title: 'Times', figure: 'count' },
  { title: 'Last', time: 'at' },
];

/** For customers, who have no provisioning log: what of their identity provider was refused. */
export const RefusedChanges = ({ slug }: { readonly slug: string }) => {
  const refused = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { limit: 100 },
  });
  useReloads(refused.reload);
  return (
    <Section
      title="Refused changes"
      lead="What your identity provider sent and was not accepted. Nothing was changed by it."
      flush
    >
      <List
        of={refused}
        rows={(page) => groupRefused(page.commands)}
        caption="Refused changes, newest first"
        columns={COLUMNS}
        isWhole
        empty={{ icon: 'check', title: 'No refused changes' }}
      />
    </Section>
  );
};
