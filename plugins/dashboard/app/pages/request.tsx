import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { withQuery } from '../address.ts';
import { gateway, type Schema, useData, Button, ErrorNote, Note, Time, hasRole } from '../ui.ts';
import { StatusBadge } from '../components/badges.tsx';
import { LogLink } from '../components/commands.tsx';
import { Code, Copyable, headersText } from '../components/copy.tsx';
import { Async, Details, Facts, Page, Section } from '../components/page.tsx';
import { SkippedMembers } from '../components/skipped-members.tsx';
import type { PageProps } from '../page-route.ts';
import { useAction } from '../use-action.ts';

/** Indented, if it is JSON. */
const readable = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
};

const Message = ({
  title,
  first,
  message: { headers, body, is_cut: isCut },
}: {
  readonly title: string;
  readonly first: string;
  readonly message: Schema<'CapturedRequest'>['request'];
}) => (
  <Section title={title}>
    {body === null || body === '' ? (
      <p class="quiet">No body.</p>
    ) : (
      <Code of={readable(body)} what={`the body of the ${title.toLowerCase()}`} />
    )}
    {isCut && <p class="quiet">Its beginning: the rest was not kept.</p>}
    <details class="event">
      <summary>Headers</summary>
      <Code
        of={`${first}\n${headersText(headers)}`}
        what={`the headers of the ${title.toLowerCase()}`}
      />
    </details>
  </Section>
);

const Replayed = ({ result }: { readonly result: Schema<'DryRun'> }) => {
  const { status, body, events, event_count: count, role_change_count: roles, seats } = result;
  return (
    <Section title="Replay result" lead="Dry run. Nothing was changed.">
      <Facts
        of={[
          ['Response', <StatusBadge key="s" status={status} />],
          ['Events', count === 0 ? 'none' : events.map(({ event }) => event).join(', ')],
          ['Role changes', roles],
          [
            'Seats',
            seats.before === seats.after ? 'unchanged' : `${seats.before} → ${seats.after}`,
          ],
        ]}
      />
      <SkippedMembers of={result} title="Would leave out" />
      {body !== null && <Code of={body} what="the replayed response" />}
    </Section>
  );
};

const RequestPage = ({ slug, id }: PageProps) => {
  const path = { slug, id };
  const read = useData('/admin/v1/tenants/{slug}/requests/{id}', { path });
  const [result, setResult] = useState<Schema<'DryRun'>>();
  const { isBusy, error, run } = useAction();
  const replay = () =>
    run(async () =>
      setResult(await gateway.post('/admin/v1/tenants/{slug}/requests/{id}/replay', { path })),
    );
  return (
    <Page
      title={read.data ? `${read.data.method} ${read.data.path}` : 'Request'}
      up={{ href: `/t/${slug}/requests`, title: 'Requests' }}
      lead={read.data && <StatusBadge status={read.data.status} />}
      actions={
        read.data?.obstacle === null &&
        hasRole('operator') && (
          <Button
            icon="play"
            label="Replay as dry run"
            isBusy={isBusy}
            onClick={() => void replay()}
          />
        )
      }
    >
      {error && <ErrorNote error={error} />}
      <Async
        of={read}
        lines={8}
        instead={({ status }) =>
          status === 404 ? (
            <Note text="This request has been deleted. Recorded requests are kept for 24 hours." />
          ) : undefined
        }
      >
        {(captured) => (
          <div class="columns">
            <div>
              {result && <Replayed result={result} />}
              {captured.obstacle !== null && (
                <Note text={`It cannot be replayed: ${captured.obstacle}.`} />
              )}
              <Message
                title="Request"
                first={`${captured.method} ${captured.path}`}
                message={captured.request}
              />
              <Message
                title="Response"
                first={String(captured.status)}
                message={captured.response}
              />
            </div>
            <Details
              of={[
                ['Time', <Time key="t" at={captured.at} form="absolute" />],
                ['Duration', `${Math.round(captured.duration_ms)} ms`],
                ['Size', `${captured.bytes} bytes`],
                ['User agent', captured.user_agent ?? <span class="quiet">unknown</span>],
                [
                  'API key',
                  <Link
                    key="k"
                    href={withQuery(`/t/${slug}/settings/api-keys`, { key: captured.key_id })}
                  >
                    View key
                  </Link>,
                ],
                [
                  'Request ID',
                  <Copyable key="i" text={captured.request_id} what="the request ID" />,
                ],
                ['Log', <LogLink key="l" slug={slug} of={{ request_id: captured.request_id }} />],
              ]}
            />
          </div>
        )}
      </Async>
    </Page>
  );
};

export default RequestPage;
