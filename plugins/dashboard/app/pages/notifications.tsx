import { gateway, type Schema, useData, Time } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import { List } from '../components/list.tsx';
import { Page, Section } from '../components/page.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { WorkButton } from '../components/work-button.tsx';

type Target = Schema<'NotificationTarget'>;
type Rule = Schema<'NotificationRule'>;

const KINDS: Readonly<Record<Target['kind'], string>> = {
  email: 'E-mail',
  webhook: 'Webhook',
  slack: 'Slack',
};

const send = async (target: string): Promise<void> => {
  const path = { target };
  const { sent, error } = await gateway.post('/admin/v1/notifications/targets/{target}/test', {
    path,
  });
  if (sent) showToast(`Sent a test notification to ${target}`);
  else showToast(`Not sent: ${error ?? ''}`, 'bad');
};

const TARGETS: readonly Column<Target>[] = [
  {
    title: 'Target',
    cell: ({ name, kind, address }) => (
      <RowTitle title={name} detail={`${KINDS[kind]}: ${address}`} />
    ),
  },
  {
    title: 'Status',
    cell: ({ failing_since: since, error, next_attempt_at: next }) =>
      since === null ? (
        <StateBadge of={['good', 'Working']} />
      ) : (
        <span class="two-lines">
          <span>
            <StateBadge of={['bad', 'Failing']} /> since <Time at={since} />
          </span>
          <span class="quiet">
            {error} Next attempt: <Time at={next} none="none" />
          </span>
        </span>
      ),
  },
  { title: 'Pending', figure: 'pending' },
  { title: 'Last sent', time: 'last_sent_at', isMinor: true },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'operator',
    cell: ({ name }) => (
      <WorkButton
        label="Send test"
        class="secondary small"
        aria-label={`Send test to ${name}`}
        work={() => send(name)}
      />
    ),
  },
];

const RULES: readonly Column<Rule>[] = [
  {
    title: 'Rule',
    cell: ({ name, tenants }) => (
      <RowTitle title={name} detail={tenants?.join(', ') ?? 'All tenants'} />
    ),
  },
  {
    title: 'Reports',
    cell: ({ on, severity, above }) => (
      <TwoLines
        detail={`${severity === 'info' ? 'Any severity' : `At least ${severity}`}${above === null ? '' : `, above ${above}`}`}
      >
        {on.map((code) => (
          <code class="path" key={code}>
            {code}{' '}
          </code>
        ))}
      </TwoLines>
    ),
  },
  { title: 'Targets', cell: ({ targets }) => targets.join(', ') },
  { title: 'Pending', figure: 'pending', isMinor: true },
  { title: 'Last sent', time: 'last_sent_at', isMinor: true },
];

const Notifications = () => {
  const targets = useData('/admin/v1/notifications/targets');
  const rules = useData('/admin/v1/notifications/rules');
  return (
    <Page
      title="Notifications"
      lead="What needs attention, sent as set in the configuration under plugins.notifications."
    >
      <Section title="Targets" flush>
        <List
          of={targets}
          rows={(page) => page.targets}
          isWhole
          caption="Targets of notifications"
          columns={TARGETS}
          by="name"
          empty={{
            icon: 'bolt',
            title: 'No targets yet',
            text: 'Add an e-mail address, a webhook or a Slack channel to the configuration.',
          }}
        />
      </Section>
      <Section title="Rules" flush>
        <List
          of={rules}
          rows={(page) => page.rules}
          isWhole
          caption="Rules of notifications"
          columns={RULES}
          by="name"
          empty={{
            icon: 'bolt',
            title: 'No rules yet',
            text: 'A rule says what is reported, of which tenants, and to which targets.',
          }}
        />
      </Section>
    </Page>
  );
};

export default Notifications;
