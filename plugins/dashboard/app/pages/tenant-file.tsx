import { useEffect, useState } from 'preact/hooks';
import {
  applyTenantPlan,
  type CreatedSecret,
  exportTenant,
  planTenant,
  TenantFileError,
  type TenantPlan,
  type TenantStep,
} from 'rollgate/client';
import { Cancelled } from '../api/api-error.ts';
import { client } from '../api/client.ts';
import { inSession, Button, ErrorNote, Note, counted } from '../ui.ts';
import { Badge } from '../components/badges.tsx';
import { DiffView } from '../components/diff-view.tsx';
import { CheckField } from '../components/fields.tsx';
import { impactText } from '../components/impact.tsx';
import { Page, Section } from '../components/page.tsx';
import { showOnce } from '../components/shown-once.tsx';
import { showToast } from '../components/toasts.tsx';
import type { PageProps } from '../page-route.ts';
import { loadTenants } from '../tenants.ts';
import { useUnsaved } from '../unsaved.ts';
import { useAction } from '../use-action.ts';

const read = inSession(exportTenant);
const plan = inSession(planTenant);
const apply = inSession(applyTenantPlan);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Cancelled(`This is not JSON: ${(error as SyntaxError).message}.`);
  }
};

const planOf = async (text: string, slug: string, prune: boolean): Promise<TenantPlan> => {
  const file = parse(text);
  if ((file as { readonly slug?: unknown } | null)?.slug !== slug)
    throw new Cancelled(`The "slug" must stay "${slug}".`);
  try {
    return await plan(client, file, { prune });
  } catch (error) {
    if (!(error instanceof TenantFileError)) throw error;
    throw new Cancelled(
      error.path.length > 0 ? `${error.path.join('.')}: ${error.message}` : error.message,
    );
  }
};

const ACTIONS = {
  create: ['good', 'Create'],
  update: ['warning', 'Update'],
  delete: ['bad', 'Delete'],
} as const;

const nameOf = ({ kind, name }: Pick<TenantStep, 'kind' | 'name'>): string =>
  kind === 'attributes' ? 'attributes of users' : `${kind} ${name}`;

const Step = ({ of: step }: { readonly of: TenantStep }) => {
  const { action, changes, preview, refusal } = step;
  const [tone, title] = ACTIONS[action];
  const impact = preview && impactText(preview);
  return (
    <Section title={`${title} ${nameOf(step)}`} actions={<Badge tone={tone}>{title}</Badge>}>
      {refusal !== undefined && <Note tone="bad" text={refusal} />}
      {changes.length > 0 && (
        <DiffView
          changes={changes.map(({ field, before, after }) => ({ path: field, before, after }))}
        />
      )}
      {impact !== undefined && <p>{`${impact}.`}</p>}
    </Section>
  );
};

const Plan = ({ of: { steps, kept } }: { readonly of: TenantPlan }) => (
  <div aria-live="polite">
    {steps.length === 0 && <Note tone="good" text="The tenant is what the file says." />}
    {steps.map((step) => (
      <Step key={`${step.kind} ${step.name} ${step.action}`} of={step} />
    ))}
    {kept.length > 0 && (
      <Note text={`Not in the file, and kept: ${kept.map(nameOf).join(', ')}.`} />
    )}
  </div>
);

const Editor = ({ slug, initial }: { readonly slug: string; readonly initial: string }) => {
  const [saved, setSaved] = useState(initial);
  const [text, setText] = useState(initial);
  const [prune, setPrune] = useState(false);
  const [found, setFound] = useState<TenantPlan>();
  const { isBusy, error, run } = useAction();
  useUnsaved(() => text !== saved);
  const look = () =>
    run(async () => {
      setFound(await planOf(text, slug, prune));
    });
  const save = (of: TenantPlan) =>
    run(async () => {
      const secrets: CreatedSecret[] = [];
      try {
        await apply(client, of, undefined, secrets);
        await loadTenants();
        showToast(`Made ${counted(of.steps.length, 'change')}`);
        const now = JSON.stringify(await read(client, slug), null, 2);
        setText(now);
        setSaved(now);
        setFound(undefined);
      } finally {
        // Also if a later change failed.
        if (secrets.length > 0)
          showOnce({
            title: 'Signing secrets',
            what: 'the signing secrets',
            secret: secrets.map((one) => `${one.url} ${one.secret}`).join('\n'),
            about: <p>Receivers verify deliveries with it.</p>,
          });
      }
    });
  const isRefused = found?.steps.some(({ refusal }) => refusal !== undefined) ?? false;
  return (
    <>
      <Section
        title="File"
        lead={
          <>
            The same file as of <code>rollgate tenant export</code> and <code>rollgate apply</code>,
            as JSON. What you leave out stays as it is.
          </>
        }
      >
        <label>
          Tenant as JSON
          <textarea
            rows={24}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setFound(undefined);
            }}
          />
        </label>
        <CheckField
          label="Delete role mappings, rooms, webhooks and attributes that a list does not have"
          value={prune}
          onChange={(next) => {
            setPrune(next);
            setFound(undefined);
          }}
        />
        {error && <ErrorNote error={error} />}
        <footer>
          <Button label="Show the plan" isBusy={isBusy && !found} onClick={() => void look()} />
        </footer>
      </Section>
      {found && <Plan of={found} />}
      {found && found.steps.length > 0 && (
        <Button
          label={`Make ${counted(found.steps.length, 'change')}`}
          class={found.steps.some(({ action }) => action === 'delete') ? 'danger' : ''}
          disabled={isRefused}
          isBusy={isBusy}
          onClick={() => void save(found)}
        />
      )}
    </>
  );
};

const TenantFilePage = ({ slug }: PageProps) => {
  const [initial, setInitial] = useState<string>();
  const { error, run } = useAction();
  useEffect(() => {
    void run(async () => setInitial(JSON.stringify(await read(client, slug), null, 2)));
  }, [slug]);
  return (
    <Page
      title="Tenant as a file"
      lead="Settings, attributes, role mappings, rooms and webhooks in one document, without users, keys and secrets."
      up={{ href: `/t/${slug}/settings/tenant`, title: 'Tenant' }}
    >
      {error && <ErrorNote error={error} />}
      {initial !== undefined && <Editor key={slug} slug={slug} initial={initial} />}
    </Page>
  );
};

export default TenantFilePage;
