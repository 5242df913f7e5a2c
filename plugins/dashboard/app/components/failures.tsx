import { useData, Empty } from '../ui.ts';
import { LogLink } from './commands.tsx';
import { Async, Section } from './page.tsx';
import { Timeline } from './timeline.tsx';

/** The newest commands that were not applied. */
const Failures = ({ slug }: { readonly slug: string }) => {
  const refused = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { outcome: 'refused', limit: 5 },
  });
  const failed = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { outcome: 'failed', limit: 5 },
  });
  const all = [...(refused.data?.commands ?? []), ...(failed.data?.commands ?? [])]
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, 6);
  return (
    <Section
      title="Recent refusals and failures"
      actions={<LogLink slug={slug} of={{ outcome: 'refused' }} text="View all" />}
    >
      <Async of={refused} lines={3}>
        {() =>
          all.length === 0 ? (
            <Empty
              icon="check"
              title="No refusals or failures"
              text="Refused and failed commands appear here with the reason."
            />
          ) : (
            <Timeline slug={slug} commands={all} />
          )
        }
      </Async>
    </Section>
  );
};

export default Failures;
