import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { type Loaded, useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { Copyable } from '../components/copy.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { ChoiceCards } from '../components/fields.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNote, Note } from '../components/note.tsx';
import { Async, Facts, Page, Section, Skeleton } from '../components/page.tsx';
import { LinkDialog, showOnce } from '../components/shown-once.tsx';
import { Time } from '../components/time.tsx';
import { IDENTITY_PROVIDERS, type IdentityProvider } from '../identity-providers.ts';
import type { PageProps } from '../page-route.ts';
import { adviceFor } from '../refusal-advice.ts';
import { hasRole, isSetupSession } from '../session.ts';
import { providerName } from '../sign-in.ts';
import { useAction } from '../use-action.ts';
import { useReloads } from '../use-polling.ts';

type SetupProgress = Schema<'SetupProgress'>;
type StepId = SetupProgress['steps'][number]['id'];

const STEP_TITLES: Readonly<Record<StepId, string>> = {
  key: 'API key',
  first_request: 'First request',
  test_user_lookup: 'Test lookup of a user',
  first_user: 'First user',
  first_group: 'First group',
  deactivation: 'Deactivation',
};

const POLL_MS = 2_000;

const LiveSteps = ({
  slug,
  of: { steps, last_error: error },
  reload,
}: {
  readonly slug: string;
  readonly of: SetupProgress;
  readonly reload: () => void;
}) => {
  const timeOf = (step: StepId) => steps.find(({ id }) => id === step)?.at ?? null;
  const isTested = timeOf('test_user_lookup') !== null;
  // A test that failed for its credentials is not a request of the key.
  const failures = useData(
    '/admin/v1/tenants/{slug}/failed-authentications',
    isTested ? null : { path: { slug } },
  );
  const [failed] = failures.data?.failed_authentications ?? [];
  useReloads(() => {
    reload();
    failures.reload();
  }, POLL_MS);
  return (
    <>
      {failed && failed.last_at >= (timeOf('key') ?? '') && (
        <Note tone="bad">
          <p>
            <strong>
              A request was not authenticated at <Time at={failed.last_at} form="clock" />:
            </strong>{' '}
            {failed.message}
          </p>
        </Note>
      )}
      <ol class="steps" aria-live="polite">
        {steps.map(({ id, state, at, detail }) => (
          <li key={id} class={`step-${state}`}>
            <span class="step-mark">
              {state === 'waiting' ? (
                <span class="waiting" />
              ) : (
                <Icon name={state === 'done' ? 'check' : 'close'} />
              )}
            </span>
            <div>
              <strong>{STEP_TITLES[id]}</strong>
              <span class="visually-hidden">{`, ${state}`}</span>
              <small>{detail}</small>
            </div>
            {at !== null && (
              <small>
                <Time at={at} />
              </small>
            )}
          </li>
        ))}
      </ol>
      {error !== null && (
        <Note tone="bad">
          <p>
            <strong>The last request was refused:</strong> {error.message}
          </p>
          {isSetupSession() && <p>{adviceFor(error.error)}</p>}
          <p class="cluster note-meta">
            <code>{error.error}</code>
          </p>
        </Note>
      )}
    </>
  );
};

/** What the steps of an identity provider need. */
interface Connecting {
  readonly slug: string;
  readonly provider: IdentityProvider;
  /** Empty: it has none yet. */
  readonly keyId: string;
  readonly setup: Loaded<SetupProgress>;
  readonly onCreated: (keyId: string) => void;
}

/** Creates the key, which is shown once; or says why it cannot be shown or created. */
const Secret = ({
  slug,
  provider: { name },
  keyId,
  field,
  onCreated,
}: Connecting & { readonly field: string }) => {
  const { isBusy, error, run } = useAction();
  const create = async () => {
    const { key, key_id: id } = isSetupSession()
      ? await gateway.post('/admin/v1/tenants/{slug}/setup/key', { path: { slug } })
      : await gateway.post('/admin/v1/tenants/{slug}/api-keys', {
          path: { slug },
          body: { description: name, scopes: ['scim:read', 'scim:write'] },
        });
    showOnce({
      title: `Key for ${name}`,
      secret: key,
      what: `the ${field}`,
      about: <p>{`Enter it as “${field}” in ${name}.`}</p>,
    });
    onCreated(id);
  };
  if (!isSetupSession() && !hasRole('admin'))
    return <span class="quiet">Ask an admin to create it.</span>;
  if (keyId === '')
    return (
      <>
        {error && <ErrorNote error={error} />}
        <Button
          icon="key"
          label={`Create a key for ${name}`}
          isBusy={isBusy}
          onClick={() => void run(create)}
        />
      </>
    );
  return (
    <>
      <span class="quiet">Shown once, when it was created.</span>{' '}
      <ConfirmButton
        label="Create another key"
        look="secondary small"
        title={`Create another key for ${name}?`}
        action="Create key"
        isDestructive={isSetupSession()}
        onConfirm={create}
      >
        <p>
          {isSetupSession()
            ? 'The current key stops working at once.'
            : 'The current key stays valid until it is deleted.'}
        </p>
      </ConfirmButton>
    </>
  );
};

/** How long a link is valid, in hours. */
const LIFETIMES = { 1: '1 hour', 24: '1 day', 72: '3 days', 168: '7 days' } as const;

const ShareLink = ({
  slug,
  provider: { id, name },
  onClose,
}: {
  readonly slug: string;
  readonly provider: IdentityProvider;
  readonly onClose: () => void;
}) => {
  const [hours, setHours] = useState('24');
  const [hasWebhooks, setWebhooks] = useState(false);
  return (
    <LinkDialog
      title="Share a setup link"
      what="the setup link"
      sending={`Send this link to the administrator of ${name}.`}
      after=" You will see it only once."
      create={() =>
        gateway.post('/admin/v1/tenants/{slug}/setup-links', {
          path: { slug },
          body: { provider: id, expires_in_hours: Number(hours), integrations: hasWebhooks },
        })
      }
      onClose={onClose}
    >
      <p>
        With this link, the administrator of {name} can open this guide and create one key. They
        also see whether the connection works, what was refused, and who is in which room.
      </p>
      <label>
        Valid for
        <select value={hours} onChange={(event) => setHours(event.currentTarget.value)}>
          {Object.entries(LIFETIMES).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={hasWebhooks}
          onChange={(event) => setWebhooks(event.currentTarget.checked)}
        />
        They can add webhooks of their own
      </label>
    </LinkDialog>
  );
};

type Method = 'token' | 'grant';

const SECRET_TOKEN = 'Secret token';
const METHODS: readonly (readonly [value: Method, title: string, about: string])[] = [
  ['token', SECRET_TOKEN, 'The key itself, as a bearer token'],
  ['grant', 'OAuth2 client credentials grant', 'Tokens of one hour, in exchange for the key'],
];

/** The tenant issues no short-lived tokens. */
const GrantIsOff = ({ slug }: { readonly slug: string }) => (
  <Note>
    <p>
      Short-lived access tokens are off.{' '}
      {isSetupSession() ? (
        `Ask ${providerName()} to switch them on`
      ) : (
        <>
          Switch them on in the <Link href={`/t/${slug}/settings/tenant`}>settings</Link> of the
          tenant
        </>
      )}
      , or choose “{SECRET_TOKEN}”.
    </p>
  </Note>
);

const copied = (name: string, text: string) =>
  [name, <Copyable key={name} text={text} what={name} />] as const;

const CopyValues = (props: Connecting) => {
  const { slug, provider, keyId, setup } = props;
  const [chosenMethod, setMethod] = useState<Method>();
  const { data } = setup;
  const tokenUrl = data?.token_url ?? null;
  const byDefault = tokenUrl === null ? 'token' : 'grant';
  const method = provider.hasTokenGrant ? (chosenMethod ?? byDefault) : 'token';
  const field = method === 'grant' ? 'Client Secret' : provider.keyField;
  return (
    <Section
      title={`Copy the URL and a key to ${provider.name}`}
      step={2}
      lead="Enter them in the provisioning settings."
    >
      {provider.hasTokenGrant && (
        <ChoiceCards
          legend="Authentication method"
          name="method"
          value={method}
          choices={METHODS}
          onChange={setMethod}
        />
      )}
      {!data ? (
        <Async of={setup} lines={3}>
          {() => null}
        </Async>
      ) : method === 'grant' && tokenUrl === null ? (
        <GrantIsOff slug={slug} />
      ) : (
        <Facts
          isWide
          of={[
            copied(provider.urlField, data.scim_url + (provider.urlSuffix ?? '')),
            ...(method === 'grant' && tokenUrl !== null
              ? [copied('Token Endpoint', tokenUrl)]
              : []),
            ...(method === 'grant' && keyId !== '' ? [copied('Client Identifier', keyId)] : []),
            [field, <Secret key={field} {...props} field={field} />],
          ]}
        />
      )}
    </Section>
  );
};

const ROOMS_SHOWN = 5;

/** Which groups will be accepted. */
const GroupNames = ({ slug }: { readonly slug: string }) => {
  const { data } = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { limit: ROOMS_SHOWN },
  });
  if (!data) return null;
  return (
    <p class="quiet">
      A group is accepted if it has the name of a role mapping or of a{' '}
      <Link href={`/t/${slug}/rooms`}>room</Link>
      {data.total === 0
        ? '. There are no rooms yet.'
        : `: ${data.rooms.map(({ name }) => name).join(', ')}${data.total > ROOMS_SHOWN ? ' …' : '.'}`}
    </p>
  );
};

const TestConnection = ({ slug, provider, keyId, setup: { data, reload } }: Connecting) => (
  <Section
    title="Test the connection"
    step={4}
    lead={`Choose ${provider.test} in ${provider.name}. This list updates live.`}
  >
    {keyId === '' ? (
      <p class="quiet">Create the key first.</p>
    ) : data?.key_id === keyId ? (
      <LiveSteps slug={slug} of={data} reload={reload} />
    ) : (
      // The progress of another key, until it is read again.
      <Skeleton />
    )}
    {!isSetupSession() && (
      <p class="quiet">
        Not working? See <Link href={`/t/${slug}/live`}>Live</Link> and the{' '}
        <Link href={`/t/${slug}/log`}>provisioning log</Link>.
      </p>
    )}
  </Section>
);

const Setup = ({ slug }: PageProps) => {
  const [{ provider: chosen, key }, change] = useParams('provider', 'key');
  const [isSharing, setSharing] = useState(false);
  const setup = useData('/admin/v1/tenants/{slug}/setup', {
    path: { slug },
    query: { key_id: key },
  });
  const wanted = chosen === '' ? setup.data?.provider : chosen;
  const provider = IDENTITY_PROVIDERS.find(({ id }) => id === wanted);
  const connecting = {
    slug,
    setup,
    // The key of a customer is that of their link.
    keyId: isSetupSession() ? (setup.data?.key_id ?? '') : key,
    onCreated: (id: string) => {
      if (!isSetupSession()) change({ key: id });
      setup.reload();
    },
  };
  return (
    <Page
      title="Connect an identity provider"
      lead="Provision users and groups over SCIM."
      actions={
        provider &&
        hasRole('admin') && (
          <Button
            icon="external"
            label="Share setup link"
            class="secondary"
            onClick={() => setSharing(true)}
          />
        )
      }
    >
      <Section title="Choose your identity provider" step={1}>
        <ChoiceCards<string>
          legend="The system that manages your users"
          name="provider"
          value={provider?.id ?? ''}
          choices={IDENTITY_PROVIDERS.map(({ id, name, about }) => [id, name, about] as const)}
          onChange={(id) => change({ provider: id, key: '' })}
        />
      </Section>
      {provider && (
        <>
          <CopyValues key={provider.id} {...connecting} provider={provider} />
          <Section title={`Configure ${provider.name}`} step={3}>
            <ol class="how-to">
              {provider.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            {!provider.sendsNoGroups && <GroupNames slug={slug} />}
          </Section>
          <TestConnection {...connecting} provider={provider} />
          {isSharing && (
            <ShareLink slug={slug} provider={provider} onClose={() => setSharing(false)} />
          )}
        </>
      )}
    </Page>
  );
};

export default Setup;
