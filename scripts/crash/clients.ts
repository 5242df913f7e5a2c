import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import type { Entry, Ledger } from './ledger.js';

export interface ClientParts {
  readonly ledger: Ledger;
  readonly dispatcher: Dispatcher;
  /** Where the gateway is now: it moves with each start. */
  readonly url: () => string;
  readonly keyOf: (tenant: string) => string;
}

export interface Told {
  readonly status: number;
  readonly body: string;
}

const AGAIN_MS = 60;
const BUSY_MS = 100;
const PATIENCE_MS = 60_000;

/** Asks for users until all of the ledger were made, each with the same key until it is answered. */
export const runClient = async (parts: ClientParts): Promise<void> => {
  for (let entry = parts.ledger.next(); entry; entry = parts.ledger.next())
    await makeSure(parts, entry);
};

const makeSure = async (parts: ClientParts, entry: Entry): Promise<void> => {
  const { ledger } = parts;
  const began = performance.now();
  for (;;) {
    entry.tries += 1;
    const told = await ask(parts, entry);
    entry.ms = performance.now() - began;
    if (told?.status === 201) {
      ledger.acknowledge(entry, told.body);
      return;
    }
    const isExpected = told === undefined || told.status === 503;
    if (!isExpected) ledger.surprises.push(`${entry.email}: ${told.status} ${told.body}`);
    if (!isExpected || entry.ms > PATIENCE_MS) return;
    await pause(told ? BUSY_MS : AGAIN_MS);
  }
};

/** Undefined where the gateway was not there, or went before it had answered. */
export const ask = async (
  { dispatcher, url, keyOf }: ClientParts,
  { tenant, email, idempotencyKey, number }: Entry,
): Promise<Told | undefined> => {
  try {
    const { statusCode, body } = await request(`${url()}/v1/${tenant}/users`, {
      dispatcher,
      method: 'POST',
      headers: {
        authorization: `Bearer ${keyOf(tenant)}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify({ email, display_name: `User ${number}` }),
    });
    return { status: statusCode, body: await body.text() };
  } catch {
    return undefined;
  }
};
