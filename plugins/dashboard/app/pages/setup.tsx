import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { type Loaded, useData } from '../api/use-data.ts';
import { Button } from '../components/button.tsx';
import { Copyable } from '../components/copy.tsx';
import { ConfirmDialog } from '../components/dialog.tsx';
import { ChoiceCards } from '../components/fields.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNote, Note } from '../components/note.tsx';
import { Async, Page, Section, Skeleton } from '../components/page.tsx';
import { LinkDialog } from '../components/shown-once.tsx';
import { Time } from '../components/time.tsx';
import { IDENTITY_PROVIDERS, type IdentityProvider } from '../identity-providers.ts';
import type { PageProps } from '../page-route.ts';
import { adviceFor } from '../refusal-advice.ts';
import { hasRole, isSetupSession } from '../session.ts';
import { providerName } from '../sign-in.ts';
import { useAction } from '../use-action.ts';
import { useReloads } from '../use-polling.ts';

type SetupProgress = Schema<'SetupProgress'>;
type CreatedKey = Schema<'CreatedApiKey'>;

const STEP_TITLES: Readonly<Record<SetupProgress['steps'][number]['id'], string>> = {
  key: 'API key',
  first_request: 'First request',
  test_user_lookup: 'Test lookup of a user',
  first_user: 'First user',
  first_group: 'First group',
  deactivation: 'Deactivation',
};

const POLL_MS = 2_000;

/** A connection test that failed for its credentials is not a request of the key. */
const FailedTest = ({ slug, since }: { readonly slug: string; readonly since: string }) => {
  const failures = useData('/admin/v1/tenants/{slug}/failed-authentications', { path: { slug } });
  useReloads(failures.reload, POLL_MS);
  const [newest] = failures.data?.failed_authentications ?? [];
  if (!newest || newest.last_at < since) return null;
  return (
    <Note tone="bad">
      <p>
        <strong>
          A request was not authenticated at <Time at={newest.last_at} form="clock" />:
        </strong>{' '}
        {newest.message}
      </p>
    </Note>
  );
};

const LiveSteps = ({
  slug,
  of: setup,
}: {
  readonly slug: string;
  readonly of: Loaded<SetupProgress>;
}) => {
  const { reload } = setup;
  useReloads(reload, POLL_MS);
  const timeOf = (step: SetupProgress['steps'][number]['id']): string | null =>
    setup.data?.steps.find(({ id }) => id === step)?.at ?? null;
  const keyAt = timeOf('key');
  const isTested = timeOf('test_user_lookup') !== null;
  const error = setup.data?.last_error ?? null;
  const first = setup.data?.steps.find(({ id }) => id === 'first_request');
  return (
    <>
      {setup.error && !setup.data && <ErrorNote error={setup.error} onRetry={reload} />}
      <div aria-live="polite">
        {first?.at != null && (
          <Note tone="good">
            <p>
              First request received at <Time at={first.at} form="clock" />. {first.detail}
            </p>
          </Note>
        )}
      </div>
      {keyAt !== null && !isTested && <FailedTest slug={slug} since={keyAt} />}
      <ol class="steps" aria-live="polite">
        {setup.data?.steps.map(({ id, state, at, detail }) => (
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

const CreateKey = ({
  slug,
  provider,
  onCreated,
}: {
  readonly slug: string;
  readonly provider: IdentityProvider;
  readonly onCreated: (key: CreatedKey) => void;
}) => {
  const { isBusy, error, run } = useAction();
  const create = () =>
    run(async () =>
      onCreated(
        isSetupSession()
          ? await gateway.post('/admin/v1/tenants/{slug}/setup/key', { path: { slug } })
          : await gateway.post('/admin/v1/tenants/{slug}/api-keys', {
              path: { slug },
              body: { description: provider.name, scopes: ['scim:read', 'scim:write'] },
            }),
      ),
    );
  return (
    <>
      {error && <ErrorNote error={error} />}
      <Button
        icon="key"
        label={`Create a key for ${provider.name}`}
        isBusy={isBusy}
        onClick={() => void create()}
      />
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
const GrantIsOff = ({
  slug,
  isKeyShown,
}: {
  readonly slug: string;
  /** The settings then open in another tab, because this page shows it only once. */
  readonly isKeyShown: boolean;
}) => (
  <Note>
    <p>
      Short-lived access tokens are off.{' '}
      {isSetupSession() ? (
        `Ask ${providerName()} to switch them on, or choose “${SECRET_TOKEN}”.`
      ) : (
        <>
          Switch them on in the{' '}
          <a
            href={`/dashboard/t/${slug}/settings/tenant`}
            {...(isKeyShown && { target: '_blank' })}
          >
            settings
          </a>{' '}
          of the tenant, or choose “{SECRET_TOKEN}”.
        </>
      )}
    </p>
  </Note>
);

const ROOMS_SHOWN = 5;

/** Which groups will be accepted. */
const GroupNames = ({ slug }: { readonly slug: string }) => {
  const { data } = useData('/admin/v1/tenants/{slug}/rooms', {
    path: { slug },
    query: { limit: ROOMS_SHOWN },
  });
  if (!data) return null;
  const all = isSetupSession() ? '/guide?section=people' : `/t/${slug}/rooms`;
  return (
    <p class="quiet">
      A group is accepted if it has the name of a room
      {data.total > 0 ? (
        <>
          {': '}
          <strong>{data.rooms.map(({ name }) => name).join(', ')}</strong>
          {data.total > ROOMS_SHOWN && (
            <>
              {' '}
              and <Link href={all}>{data.total - ROOMS_SHOWN} more</Link>
            </>
          )}
        </>
      ) : (
        ', and there are no rooms yet'
      )}
      . Names of role mappings are accepted, too.
    </p>
  );
};

const Value = ({ of, children }: { readonly of: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{of}</dt>
    <dd>{children}</dd>
  </div>
);

/** What the steps of an identity provider need. */
interface Connecting {
  readonly slug: string;
  readonly provider: IdentityProvider;
  /** Empty: it has none yet. */
  readonly keyId: string;
  /** The key, as long as it is shown. */
  readonly created: CreatedKey | undefined;
  readonly setup: Loaded<SetupProgress>;
  readonly onCreated: (key: CreatedKey) => void;
  readonly onReplace: () => void;
}

/** The key, how to make one, or why there is none to copy. */
const Secret = ({
  field,
  of: { slug, provider, keyId, created, onCreated, onReplace },
}: {
  readonly field: string;
  readonly of: Connecting;
}) => {
  if (created)
    return (
      <>
        <Copyable text={created.key} what={field} />
        <small class="warning-text">Copy it now. You will not be able to see it again.</small>
      </>
    );
  if (keyId !== '')
    return (
      <>
        <span class="quiet">Shown once, when it was created.</span>{' '}
        <Button label="Create another key" class="secondary small" onClick={onReplace} />
      </>
    );
  if (!isSetupSession() && !hasRole('admin'))
    return <span class="quiet">Ask an admin to create it.</span>;
  return <CreateKey slug={slug} provider={provider} onCreated={onCreated} />;
};

/** The values for the client credentials grant, besides the secret. */
const GrantValues = ({
  tokenUrl,
  clientId,
}: {
  readonly tokenUrl: string;
  readonly clientId: string | null;
}) => (
  <>
    <Value of="Token Endpoint">
      <Copyable text={tokenUrl} what="Token Endpoint" />
    </Value>
    <Value of="Client Identifier">
      {clientId === null ? (
        <span class="quiet">Comes with the secret.</span>
      ) : (
        <Copyable text={clientId} what="Client Identifier" />
      )}
    </Value>
  </>
);

const CopyValues = (props: Connecting) => {
  const { slug, provider, keyId, created, setup } = props;
  const [chosenMethod, setMethod] = useState<Method>();
  const { data } = setup;
  const tokenUrl = data?.token_url ?? null;
  const method = provider.hasTokenGrant
    ? (chosenMethod ?? (tokenUrl === null ? 'token' : 'grant'))
    : 'token';
  const hasGrant = method === 'grant' && tokenUrl !== null;
  const isOff = method === 'grant' && data?.token_url === null;
  const clientId = created?.key_id ?? (keyId === '' ? null : (data?.key_id ?? null));
  const secretField = hasGrant ? 'Client Secret' : provider.keyField;
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
      {isOff && <GrantIsOff slug={slug} isKeyShown={created !== undefined} />}
      {!data && !created && (
        <Async of={setup} lines={3}>
          {() => null}
        </Async>
      )}
      {(created ?? (data && !isOff)) && (
        <dl class="values wide-values">
          {data && (
            <Value of={provider.urlField}>
              <Copyable
                text={data.scim_url + (provider.urlSuffix ?? '')}
                what={provider.urlField}
              />
            </Value>
          )}
          {hasGrant && <GrantValues tokenUrl={tokenUrl} clientId={clientId} />}
          <Value of={secretField}>
            <Secret field={secretField} of={props} />
          </Value>
        </dl>
      )}
    </Section>
  );
};

const TestConnection = ({ slug, provider, keyId, setup }: Connecting) => {
  const { data } = setup;
  // Until it is read again, the progress is that of another key.
  const isOfOther = data && !isSetupSession() && data.key_id !== keyId;
  return (
    <Section
      title="Test the connection"
      step={4}
      lead={`Choose ${provider.test} in ${provider.name}. This list updates live.`}
    >
      {keyId === '' ? (
        <p class="quiet">Create the key first.</p>
      ) : isOfOther ? (
        <Skeleton />
      ) : (
        <LiveSteps slug={slug} of={setup} />
      )}
      {!isSetupSession() && (
        <p class="quiet">
          Not working? See <Link href={`/t/${slug}/live`}>Live</Link> and the{' '}
          <Link href={`/t/${slug}/log`}>provisioning log</Link>.
        </p>
      )}
    </Section>
  );
};

const Assistant = (props: Connecting) => {
  const { slug, provider } = props;
  return (
    <>
      <CopyValues {...props} />
      <Section title={`Configure ${provider.name}`} step={3}>
        <ol class="how-to">
          {provider.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {!provider.sendsNoGroups && <GroupNames slug={slug} />}
      </Section>
      <TestConnection {...props} />
    </>
  );
};

const ChooseProvider = ({
  chosen,
  onChoose,
}: {
  readonly chosen: string | null | undefined;
  readonly onChoose: (provider: IdentityProvider) => void;
}) => (
  <Section
    title="Choose your identity provider"
    step={1}
    lead="The system that manages your users."
  >
    <fieldset class="choices grid">
      <legend class="visually-hidden">Identity provider</legend>
      {IDENTITY_PROVIDERS.map((one) => (
        <label key={one.id}>
          <input
            type="radio"
            name="provider"
            checked={one.id === chosen}
            onChange={() => onChoose(one)}
          />
          <span>
            <strong>{one.name}</strong>
            <small>{one.about}</small>
          </span>
        </label>
      ))}
    </fieldset>
  </Section>
);

const Setup = ({ slug }: PageProps) => {
  const [{ provider: chosen, key }, change] = useParams('provider', 'key');
  const [isSharing, setSharing] = useState(false);
  const [isReplacing, setReplacing] = useState(false);
  const [created, setCreated] = useState<CreatedKey>();
  const [next, setNext] = useState<IdentityProvider>();
  const isGuest = isSetupSession();
  const setup = useData('/admin/v1/tenants/{slug}/setup', {
    path: { slug },
    query: { key_id: isGuest ? '' : key },
  });
  const wanted = chosen === '' ? setup.data?.provider : chosen;
  const provider = IDENTITY_PROVIDERS.find(({ id }) => id === wanted);
  const hasKey = setup.data?.steps.some(({ id, state }) => id === 'key' && state === 'done');
  // A guest's key is that of their link, also after a reload.
  const ownKey = hasKey === true && !isReplacing ? 'made' : '';
  const keyId = isGuest ? ownKey : key;
  const choose = ({ id }: IdentityProvider) => {
    setCreated(undefined);
    change({ provider: id, key: '' });
  };
  const setKey = (id: string) => {
    if (isGuest) setReplacing(id === '');
    else change({ key: id });
    setup.reload();
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
      <ChooseProvider chosen={wanted} onChoose={(one) => (created ? setNext(one) : choose(one))} />
      {provider && (
        <Assistant
          key={provider.id}
          slug={slug}
          provider={provider}
          keyId={keyId}
          created={created}
          setup={setup}
          onCreated={(made) => {
            setCreated(made);
            setKey(made.key_id);
          }}
          onReplace={() => setKey('')}
        />
      )}
      {next && provider && (
        <ConfirmDialog
          title={`Choose ${next.name}?`}
          action={`Choose ${next.name}`}
          onConfirm={() => {
            choose(next);
            return Promise.resolve();
          }}
          onClose={() => setNext(undefined)}
        >
          <p>
            This page shows the key for {provider.name} only now. If you need it, copy it first: you
            will not be able to see it again. It stays valid until it is deleted.
          </p>
        </ConfirmDialog>
      )}
      {isSharing && provider && (
        <ShareLink slug={slug} provider={provider} onClose={() => setSharing(false)} />
      )}
    </Page>
  );
};

export default Setup;
