import type { ReceivedRequest } from '../../tooling/https-receiver.js';
import { ask, type ClientParts } from './clients.js';
import type { Entry, Ledger } from './ledger.js';
import type { Scene, TenantAccess } from './scene.js';
import { takeStock } from './stock-taking.js';
import type { Acknowledged, Evidence, Received } from './verdict.js';

interface Sources {
  readonly mongodbUri: string;
  readonly scene: Scene;
  readonly tenants: readonly TenantAccess[];
  readonly ledger: Ledger;
}

/** What clients and receiver were told, and what the database knows. */
export const gather = async ({
  mongodbUri,
  scene,
  tenants,
  ledger,
}: Sources): Promise<Omit<Evidence, 'mostRepeats' | 'mostForgotten'>> => ({
  creates: ledger.entries.length,
  acknowledged: ledger.entries.flatMap(acknowledgedIn),
  stocks: await takeStock(mongodbUri, tenants),
  received: scene.receiver.requests.map((request) => receivedIn(request, tenants)),
});

/** A client that asks once more is told the same, byte for byte (P4). */
export const askAgain = async (parts: ClientParts): Promise<readonly string[]> => {
  const some = parts.ledger.entries.filter(({ number }) => number % 50 === 0);
  const compared = some.map(async (entry) => {
    const told = await ask(parts, entry);
    return told?.body === entry.answer ? [] : [`${entry.email} was told something else later`];
  });
  return (await Promise.all(compared)).flat();
};

const acknowledgedIn = ({ tenant, email, answer }: Entry): readonly Acknowledged[] =>
  answer === undefined
    ? []
    : [{ tenant, email, userId: (JSON.parse(answer) as { readonly id: string }).id }];

const receivedIn = (
  { path, headers, json, isGenuine }: ReceivedRequest,
  tenants: readonly TenantAccess[],
): Received => {
  const tenant = path.slice(1);
  const { id, seq } = json as { readonly id: string; readonly seq: number };
  const secret = tenants.find(({ slug }) => slug === tenant)?.webhookSecret ?? '';
  const deliveryId = String(headers['x-service-delivery']);
  return { tenant, deliveryId, eventId: id, seq, isGenuine: isGenuine(secret) };
};
