import { randomUUID } from 'node:crypto';
import type { OperatorId, PasskeyId } from '../../domain/kernel/ids.js';
import type { SignInWay } from '../../domain/operator/operator.js';
import type { OperatorLog, OperatorLogEntry } from '../../ports/operator-log.js';
import type { Log } from '../../ports/telemetry.js';

/** The ways to sign in, after "with". */
const WAYS: Readonly<Record<SignInWay, string>> = {
  link: 'a sign-in link',
  oidc: 'the OpenID provider',
  passkey: 'a passkey',
  'admin-token': 'the admin token',
  setup: 'a setup link',
};

interface Person {
  readonly id: OperatorId | null;
  readonly name: string;
}

/** Why a sign-in was refused. */
export interface RefusedSignIn {
  /** For programs. */
  readonly code: string;
  /** Undefined: it is not known who tried. */
  readonly person?: Person;
  readonly passkey?: PasskeyId;
  /** For the gateway's log only; without secrets. */
  readonly reason?: string;
}

/** Writes sign-ins to the operators' log and to the gateway's. */
export interface SignInLog {
  /** `tenant`: that of a setup link. */
  readonly done: (person: Person, way: SignInWay, tenant: string | null) => Promise<void>;
  readonly refused: (way: SignInWay, details: RefusedSignIn) => Promise<void>;
}

const UNKNOWN: Person = { id: null, name: 'Unknown' };
const MINUTE = 60_000;

/** Of this gateway, by people who have not proved who they are: they must not fill the database. */
const MAX_UNPROVED_PER_MINUTE = 30;
/** Refusals of people who have. */
const PROVED = new Set(['OPERATOR_DISABLED', 'NO_ROLE']);

interface AppendParts {
  readonly operatorLog: Pick<OperatorLog, 'append'>;
  readonly log: Pick<Log, 'error'>;
  /** The database's clock. */
  readonly now: () => Date;
}

interface Parts extends AppendParts {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
}

export type NewOperatorLogEntry = Omit<OperatorLogEntry, 'id' | 'at'>;

/** Appends to the operators' log. What was done stays done if it fails; the gateway's log has it then. */
export const appendTo = async (
  { operatorLog, log, now }: AppendParts,
  { actor, ...entry }: NewOperatorLogEntry,
): Promise<void> => {
  try {
    await operatorLog.append({ id: randomUUID(), at: now(), actor, ...entry });
  } catch (error) {
    log.error(
      { err: error, action: entry.action, operator: actor.id, tenant: entry.tenant },
      "cannot write to the operators' log",
    );
  }
};

export const createSignInLog = (parts: Parts): SignInLog => {
  const { log, now } = parts;
  let minute = 0;
  let unproved = 0;

  const isTooMuch = (): boolean => {
    const current = Math.floor(now().getTime() / MINUTE);
    if (current !== minute) unproved = 0;
    minute = current;
    unproved += 1;
    return unproved > MAX_UNPROVED_PER_MINUTE;
  };

  const entryOf = (
    { id, name }: Person,
    text: string,
    refusal: string | null,
  ): NewOperatorLogEntry => ({
    // Not the rest of an operator, such as their e-mail address.
    actor: { id, name },
    action: 'signIn',
    text,
    about: null,
    subject: null,
    tenant: null,
    refusal,
  });

  return {
    done: async (person, way, tenant) => {
      const text = way === 'setup' ? `opened ${WAYS.setup}` : `signed in with ${WAYS[way]}`;
      // Names are personal data: the gateway's log has ids only.
      log.info({ operator: person.id ?? person.name, tenant }, `operator ${text}`);
      await appendTo(parts, { ...entryOf(person, text, null), tenant });
    },
    refused: async (way, { person, ...details }) => {
      log.warn({ operator: person?.id, ...details }, `a sign-in with ${WAYS[way]} has failed`);
      if (!PROVED.has(details.code) && isTooMuch()) return;
      const text = `could not sign in with ${WAYS[way]}`;
      await appendTo(parts, entryOf(person ?? UNKNOWN, text, details.code));
    },
  };
};
