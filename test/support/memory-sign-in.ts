import type { SignInStores } from '../../src/ports/operators.js';
import { type Passkey, PASSKEY_LIMITS } from '../../src/domain/operator/passkey.js';
import {
  expiryOf,
  type OperatorSession,
  type SignInLink,
  type Operator,
} from '../../src/domain/operator/operator.js';

const done = Promise.resolve();

/** Operators, sessions and links in memory, for tests of the edge. */
export const memorySignInStores = (now: () => Date = () => new Date()): SignInStores => {
  const operators = new Map<string, Operator>();
  const sessions = new Map<string, OperatorSession>();
  const links = new Map<string, SignInLink>();
  const spent = new Set<string>();
  const passkeys = new Map<string, Passkey>();
  let hadOperator = false;
  const operatorOf = ({ subject }: OperatorSession): Operator | undefined =>
    subject.kind === 'operator' ? operators.get(subject.operatorId) : undefined;
  const sessionsOf = (id: string) =>
    [...sessions.values()].filter(
      ({ subject }) => subject.kind === 'operator' && subject.operatorId === id,
    );
  return {
    operators: {
      find: (id) => Promise.resolve(operators.get(id)),
      findBySubject: (subject) =>
        Promise.resolve([...operators.values()].find((one) => one.subject === subject)),
      page: ({ offset, limit }) =>
        Promise.resolve({
          items: [...operators.values()].slice(offset, offset + limit),
          total: operators.size,
        }),
      exist: () => Promise.resolve(hadOperator),
      create: (operator) => {
        hadOperator = true;
        operators.set(operator.id, operator);
        return Promise.resolve(true);
      },
      createFirst: (owner) => {
        if (hadOperator) return Promise.resolve(false);
        hadOperator = true;
        operators.set(owner.id, owner);
        for (const { hash, kind } of links.values()) if (kind === 'first-owner') links.delete(hash);
        return Promise.resolve(true);
      },
      update: (id, changes) => {
        const operator = operators.get(id);
        if (operator) operators.set(id, { ...operator, ...changes });
        return Promise.resolve(operators.get(id));
      },
      delete: (id) => {
        for (const { hash } of sessionsOf(id)) sessions.delete(hash);
        return Promise.resolve(operators.delete(id));
      },
      unbind: (slug) => {
        for (const operator of operators.values())
          operators.set(operator.id, {
            ...operator,
            tenants: operator.tenants?.filter((one) => one !== slug) ?? null,
          });
        return done;
      },
    },
    sessions: {
      find: (hash) => {
        const session = sessions.get(hash);
        if (!session || expiryOf(session) <= now()) return Promise.resolve(undefined);
        const { subject } = session;
        if (subject.kind === 'admin-token')
          return Promise.resolve({ session, operator: null, setupLink: null });
        if (subject.kind === 'setup') {
          const link = links.get(subject.linkHash);
          const found = link?.kind === 'setup' && { session, operator: null, setupLink: link };
          return Promise.resolve(found || undefined);
        }
        const operator = operatorOf(session);
        const isRemoved =
          subject.by === 'passkey' &&
          ![...passkeys.values()].some(({ id }) => id === subject.passkeyId);
        return Promise.resolve(
          operator && operator.disabledAt === null && !isRemoved
            ? { session, operator, setupLink: null }
            : undefined,
        );
      },
      create: (session) => {
        sessions.set(session.hash, session);
        return done;
      },
      touch: (session, lastSeenAt) => {
        sessions.set(session.hash, { ...session, lastSeenAt });
        return done;
      },
      delete: (hash) => {
        sessions.delete(hash);
        return done;
      },
      listOf: (id) => Promise.resolve(sessionsOf(id)),
      deleteOf: (operator, id) => {
        const ended = sessionsOf(operator).filter((one) => id === undefined || one.id === id);
        for (const { hash } of ended) sessions.delete(hash);
        return Promise.resolve(ended.length > 0);
      },
    },
    links: {
      find: (hash) => {
        const link = links.get(hash);
        return Promise.resolve(link && link.expiresAt > now() ? link : undefined);
      },
      create: (link) => {
        links.set(link.hash, link);
        return done;
      },
      use: ({ hash }) => Promise.resolve(links.delete(hash)),
      countOpening: () => Promise.resolve(true),
      replaceKey: (hash, keyId) => {
        const link = links.get(hash);
        if (link?.kind !== 'setup') return Promise.resolve(null);
        links.set(hash, { ...link, keyId });
        return Promise.resolve(link.keyId);
      },
      setupLinksOf: (slug) =>
        Promise.resolve(
          [...links.values()].flatMap((link) =>
            link.kind === 'setup' && link.tenant === slug ? [link] : [],
          ),
        ),
      endOfTenant: (slug) => {
        for (const [hash, link] of links)
          if (link.kind === 'setup' && link.tenant === slug) links.delete(hash);
        return done;
      },
      endOf: (id) => {
        for (const [hash, link] of links)
          if (link.kind === 'operator' && link.operatorId === id) links.delete(hash);
        return done;
      },
      spend: (hash) => {
        const isNew = !spent.has(hash);
        spent.add(hash);
        return Promise.resolve(isNew);
      },
    },
    passkeys: {
      find: (credentialId) => Promise.resolve(passkeys.get(credentialId)),
      listOf: (id) =>
        Promise.resolve([...passkeys.values()].filter(({ operatorId }) => operatorId === id)),
      create: (passkey) => {
        const own = [...passkeys.values()].filter(
          ({ operatorId }) => operatorId === passkey.operatorId,
        );
        if (own.length >= PASSKEY_LIMITS.count) return Promise.resolve('full');
        if (passkeys.has(passkey.credentialId)) return Promise.resolve('exists');
        passkeys.set(passkey.credentialId, passkey);
        return Promise.resolve('created');
      },
      use: ({ credentialId, counter: before }, counter, lastUsedAt) => {
        const passkey = passkeys.get(credentialId);
        if (passkey?.counter !== before) return Promise.resolve(false);
        passkeys.set(credentialId, { ...passkey, counter, lastUsedAt });
        return Promise.resolve(true);
      },
      delete: (operatorId, id) => {
        const passkey = [...passkeys.values()].find(
          (one) => one.operatorId === operatorId && one.id === id,
        );
        return Promise.resolve(passkey !== undefined && passkeys.delete(passkey.credentialId));
      },
    },
  };
};
