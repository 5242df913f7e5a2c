import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { readAuthorities } from '../../plugin/outbound/trusted-authorities.js';
import { reasonOf } from '../reason-of.js';
import { type Check, fail, ok, type Verdict, warn } from '../verdict.js';
import { webhookSettings } from '../webhook-settings.js';

/** The file of further authorities for webhooks can be read, and none of them has ended. */
export const checkWebhookAuthorities: Check = (context) => {
  const { ca } = webhookSettings(context);
  if (ca === undefined) return ok("The system's authorities alone are trusted.");
  const file = resolve(context.cwd, ca);
  try {
    return judge(file, readAuthorities(file), context.clocks.now());
  } catch (error) {
    const remedy = 'Name a PEM file: plugins.webhooks.ca (ROLLGATE_WEBHOOKS_CA).';
    return fail(`${reasonOf(error)}.`, remedy, { file });
  }
};

const judge = (file: string, authorities: readonly string[], now: number): Verdict => {
  const certificates = authorities.map((pem) => new X509Certificate(pem));
  const ended = certificates.filter(({ validTo }) => Date.parse(validTo) <= now);
  const details = { file, certificates: certificates.length };
  if (ended.length === 0)
    return ok(
      `${file} holds ${certificates.length === 1 ? 'an authority' : `${certificates.length} authorities`} to trust.`,
      details,
    );
  return warn(
    `${file} holds what has ended: ${ended.map(nameOf).join('; ')}.`,
    'Put the new certificate into the file.',
    details,
  );
};

const nameOf = ({ subject, validTo }: X509Certificate): string =>
  `${subject.replaceAll('\n', ', ')} (${validTo})`;
