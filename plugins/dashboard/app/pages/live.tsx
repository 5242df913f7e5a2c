import { useEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { addressOf } from '../api/address-of.ts';
import { gateway, type Schema, Button, Filters, Empty, Time } from '../ui.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import {
  COMMAND_FILTERS,
  CommandLink,
  commandQuery,
  OUTCOME_STATES,
  sourceTitle,
} from '../components/commands.tsx';
import { Page } from '../components/page.tsx';
import type { PageProps } from '../page-route.ts';

type Command = Schema<'Command'>;
type Connection = 'connecting' | 'live' | 'broken';

const RECONNECT_MS = 5_000;

/** The lines that are kept; older ones are in the log. */
const KEPT = 300;

/** Commands as they are decided, newest first, from the first moment on. */
const useTail = (address: string, isPaused: boolean) => {
  const [lines, setLines] = useState<readonly Command[]>([]);
  const [waiting, setWaiting] = useState<readonly Command[]>([]);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [attempt, setAttempt] = useState(0);
  const paused = useRef(isPaused);
  paused.current = isPaused;
  useEffect(() => {
    setLines([]);
    setWaiting([]);
  }, [address]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    setConnection('connecting');
    const source = new EventSource(address);
    const add = ({ data }: MessageEvent<string>) => {
      const command = JSON.parse(data) as Command;
      const put = paused.current ? setWaiting : setLines;
      put((before) => [command, ...before.filter(({ id }) => id !== command.id)].slice(0, KEPT));
    };
    source.addEventListener('command', add);
    source.addEventListener('open', () => setConnection('live'));
    source.addEventListener('error', () => {
      const isClosed = source.readyState === EventSource.CLOSED;
      setConnection(isClosed ? 'broken' : 'connecting');
      if (!isClosed) return;
      timer = setTimeout(() => setAttempt((count) => count + 1), RECONNECT_MS);
      // Streams do not show why: this ends an expired session.
      gateway.get('/admin/v1/session').catch(() => undefined);
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [address, attempt]);
  useEffect(() => {
    if (isPaused) return;
    setWaiting((held) => {
      if (held.length > 0) setLines((before) => [...held, ...before].slice(0, KEPT));
      return [];
    });
  }, [isPaused]);
  return {
    lines,
    waiting,
    connection,
    clear: () => setLines([]),
    connect: () => setAttempt((count) => count + 1),
  };
};

const STATES = {
  connecting: ['warning', 'Connecting…'],
  live: ['good', 'Live'],
  broken: ['bad', 'Disconnected'],
} as const;

const Line = ({ slug, command }: { readonly slug: string; readonly command: Command }) => (
  <li>
    <Time at={command.at} form="clock" />
    <StateBadge of={OUTCOME_STATES[command.outcome]} />
    <span class="tail-text">
      <CommandLink slug={slug} of={command} />
      {command.error !== null && <code>{command.error}</code>}
    </span>
    <small>
      {command.actor.name ?? command.actor.kind}, {sourceTitle(command.source)}
    </small>
  </li>
);

const Live = ({ slug }: PageProps) => {
  const [filters, change] = useParams('outcome', 'source', 'type');
  const [isPaused, setPaused] = useState(false);
  const address = addressOf('/admin/v1/tenants/{slug}/live', {
    path: { slug },
    query: commandQuery(filters),
  });
  const { lines, waiting, connection, clear, connect } = useTail(address, isPaused);
  const [tone, word] = STATES[connection];
  return (
    <Page
      title="Live"
      lead={
        <span role="status" class="row">
          <Badge tone={isPaused ? 'neutral' : tone}>{isPaused ? 'Paused' : word}</Badge>
          {isPaused && waiting.length > 0 ? `${waiting.length} new` : 'Commands as they happen.'}
        </span>
      }
      actions={
        <>
          {connection === 'broken' && (
            <Button icon="refresh" label="Reconnect" class="secondary" onClick={connect} />
          )}
          <Button
            icon={isPaused ? 'play' : 'pause'}
            label={isPaused ? 'Resume' : 'Pause'}
            class="secondary"
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          />
          <Button label="Clear" class="secondary" disabled={lines.length === 0} onClick={clear} />
        </>
      }
    >
      <Filters of={COMMAND_FILTERS} values={filters} onChange={change} />
      {lines.length === 0 && (
        <Empty icon="pulse" title="Waiting for the next command">
          <p>
            Change a user in your identity provider to see the command here within a second. Earlier
            commands are in the <Link href={`/t/${slug}/log`}>provisioning log</Link>.
          </p>
        </Empty>
      )}
      <div role="log" aria-live="polite" aria-relevant="additions" aria-label="Commands">
        {lines.length > 0 && (
          <ol class="tail">
            {lines.map((command) => (
              <Line key={command.id} slug={slug} command={command} />
            ))}
          </ol>
        )}
      </div>
    </Page>
  );
};

export default Live;
