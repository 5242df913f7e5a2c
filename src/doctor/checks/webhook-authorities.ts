import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { readAuthorities } from '../../plugin/outbound/trusted-authorities.js';
import { reasonOf } from '../reason-of.js';
import { type Check, type CheckResult, fail, ok, warn } from '../check-result.js';
import { webhookSettings } from '../webhook-settings.js';

/** The file of additional CAs for webhooks is readable, and its certificates are valid. */
export const checkWebhookAuthorities: Check = (context) => {
  const { ca } = webhookSettings(context);
  if (ca === undefined) return ok('Only the CAs of the system are trusted.');
  const file = resolve(context.cwd, ca);
  try {
    return evaluate(file, readAuthorities(file), context.clocks.now());
  } catch (error) {
    const remedy = 'Set plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA) to a PEM file.';
    return fail(`${reasonOf(error)}.`, remedy, { file });
  }
};

const evaluate = (file: string, authorities: readonly string[], now: number): CheckResult => {
  const certificates = authorities.map((pem) => new X509Certificate(pem));
  const expired = certificates.filter(({ validTo }) => Date.parse(validTo) <= now);
  const details = { file, certificates: certificates.length };
  if (expired.length === 0)
    return ok(
      `${file} contains ${certificates.length === 1 ? '1 CA certificate' : `${certificates.length} CA certificates`}.`,
      details,
    );
  return warn(
    `${file} contains expired certificates: ${expired.map(nameOf).join('; ')}.`,
    'Replace them in the file.',
    details,
  );
};

const nameOf = ({ subject, validTo }: X509Certificate): string =>
  `${subject.replaceAll('\n', ', ')} (${validTo})`;
