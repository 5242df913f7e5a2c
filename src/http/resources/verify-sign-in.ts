import type { Browser } from '../../routes/caller.js';
import type { OperatorId } from '../../domain/kernel/ids.js';
import { raise, refuse } from '../../domain/kernel/refusals.js';
import { MAX_OPENINGS } from '../../domain/operator/operator.js';
import { hashSecret } from '../access/credentials.js';
import { accountDisabled, callerIn, type Proven, SignInFault } from './begin-session.js';
import { newOperator } from './operators.js';
import type { RouteParts } from './route-parts.js';

const LINK_INVALID = refuse(
  'UNAUTHENTICATED',
  'This link is not valid: it was used or replaced, it has expired, or the account is disabled. ' +
    'Ask an owner for a new one.',
);
const LINK_USED_UP = refuse(
  'UNAUTHENTICATED',
  `This setup link was opened ${MAX_OPENINGS} times, which is its limit. Ask for a new one.`,
);
const TOKEN_INVALID = refuse('UNAUTHENTICATED', 'This is not the admin token.');

/** By the admin token. In a step-up, an owner stays signed in as themselves. */
export const verifyAdminToken = async (
  parts: RouteParts,
  browser: Browser,
  token: string,
  isStepUp: boolean,
): Promise<Proven> => {
  const tokenHash = await parts.adminTokenCheck.check(token);
  if (tokenHash === undefined) throw new SignInFault(TOKEN_INVALID);
  const caller = isStepUp ? await callerIn(parts, browser) : undefined;
  const own = caller?.role === 'owner' ? caller.session?.subject : undefined;
  if (isStepUp && !own)
    raise('INSUFFICIENT_ROLE', 'Only an owner who is signed in steps up with the admin token.');
  // A token that was replaced since does not begin a session that ends at once.
  return { subject: own?.kind === 'operator' ? own : { kind: 'admin-token', tokenHash } };
};

const nameMissing = (): never =>
  raise('INVALID_REQUEST', 'The body is not valid: name is required by this link.', {
    details: [{ path: 'name', message: 'is required by this link' }],
  });

/** By the link of an operator, or the one that creates the first owner, with this name. */
export const verifyLink = async (
  { signIn: { operators, links }, now }: RouteParts,
  secret: string,
  name: string | undefined,
  email: string | null,
): Promise<Proven> => {
  const link = await links.find(hashSecret(secret));
  if (!link || link.kind === 'setup') throw new SignInFault(LINK_INVALID);
  const by = (operatorId: OperatorId): Proven => ({
    subject: { kind: 'operator', operatorId, by: 'link' },
  });
  if (link.kind === 'first-owner') {
    const owner = newOperator(
      { name: name ?? nameMissing(), email, role: 'owner', tenants: null },
      now(),
    );
    if (!(await operators.createFirst(owner))) throw new SignInFault(LINK_INVALID);
    return by(owner.id);
  }
  const operator = await operators.find(link.operatorId);
  if (operator?.disabledAt) throw accountDisabled(operator);
  if (!(await links.use(link))) throw new SignInFault(LINK_INVALID);
  return by(link.operatorId);
};

/** By a setup link, for the administrator of a customer. */
export const verifySetupLink = async (
  { signIn: { links } }: RouteParts,
  secret: string,
): Promise<Proven> => {
  const link = await links.find(hashSecret(secret));
  if (link?.kind !== 'setup') throw new SignInFault(LINK_INVALID);
  const { hash, tenant, expiresAt } = link;
  if (!(await links.countOpening(hash))) throw new SignInFault(LINK_USED_UP);
  return { subject: { kind: 'setup', tenant, linkHash: hash }, endsAt: expiresAt };
};
