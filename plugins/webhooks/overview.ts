import { z } from 'zod';
import {
  type Attention,
  type ExtensionOverview,
  GONE_REASON,
  type PluginHost,
  type SearchResult,
  type Tenant,
  timeInWords,
} from '../../src/plugin/api.js';
import { Failing } from './failing.js';
import { isActive, readRegistration, type Registration } from './registration.js';
import { maskQuery } from './bodies.js';

type Host = Pick<PluginHost, 'records' | 'notes'>;

const Note = z.object({ failing: Failing.optional().catch(undefined) });

const nameOf = ({ description, url }: Registration): string => description ?? maskQuery(url);

const LINK = 'settings/webhooks';

const gone = (registration: Registration): Attention => ({
  severity: 'error',
  code: 'WEBHOOK_GONE',
  message: `The endpoint of the webhook "${nameOf(registration)}" is gone: it responds with 410.`,
  action: 'Correct its URL, then send the failed deliveries again; or delete the webhook.',
  link: `${LINK}/${registration.id}`,
});

const failing = (registration: Registration, { since, keeps, reason }: Failing): Attention => ({
  // At first it may be a restart of the receiver.
  severity: keeps ? 'error' : 'warning',
  code: 'WEBHOOK_FAILING',
  message: `No delivery to the webhook "${nameOf(registration)}" has succeeded since ${timeInWords(new Date(since))}.`,
  action:
    (reason === undefined ? '' : `The last attempt: ${reason} `) +
    'Send a test event to check its endpoint. Pending deliveries are retried. To send failed ones again, ' +
    'use "Send again now" on its page, or "rollgate webhook recover".',
  link: `${LINK}/${registration.id}`,
});

const disabled = (registration: Registration, reason: string): Attention => ({
  severity: 'warning',
  code: 'WEBHOOK_DISABLED',
  message: `The webhook "${nameOf(registration)}" was disabled: ${reason}`,
  action: 'Events are dropped while it is disabled. Repair its endpoint, then enable it.',
  link: `${LINK}/${registration.id}`,
});

/** Registrations whose last delivery failed, or that the gateway has disabled. A tenant has at most 100. */
export const readOverview = async (
  { records, notes }: Host,
  { id }: Pick<Tenant, 'id'>,
): Promise<ExtensionOverview> => {
  const registrations = (await records.list(id)).map(readRegistration);
  const active = registrations.filter(isActive);
  const kept = await notes.read(
    id,
    active.map((one) => one.id),
  );
  const failures = active.flatMap((registration) => {
    const note = Note.parse(kept.get(registration.id) ?? {}).failing;
    if (note?.epoch !== registration.epoch) return [];
    return [note.reason === GONE_REASON ? gone(registration) : failing(registration, note)];
  });
  const stopped = registrations.flatMap((registration) =>
    registration.disabledReason === null || isActive(registration)
      ? []
      : [disabled(registration, registration.disabledReason)],
  );
  return {
    counts: { total: registrations.length, failing: failures.length },
    attention: [...failures, ...stopped],
  };
};

const NO_WORD = /[^\p{L}\p{N}]+/u;

/** Registrations of which a word of the description, the host or the id begins with the text. */
export const searchWebhooks = async (
  { records }: Pick<Host, 'records'>,
  { id }: Pick<Tenant, 'id'>,
  text: string,
): Promise<readonly SearchResult[]> =>
  (await records.list(id)).map(readRegistration).flatMap((registration) => {
    const url = maskQuery(registration.url);
    const { description } = registration;
    const names = [registration.id, description ?? '', url, new URL(url).host];
    const words = description?.split(NO_WORD) ?? [];
    const matches = [...names, ...words].some((name) => name.toLowerCase().startsWith(text));
    const title = nameOf(registration);
    const subtitle = `${url}, ${registration.status}`;
    return matches ? [{ kind: 'webhook', id: registration.id, title, subtitle } as const] : [];
  });
