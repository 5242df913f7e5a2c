import { isIP } from 'node:net';
import { rootCertificates } from 'node:tls';
import {
  classifyResponse,
  optionalLibrary,
  type PluginHost,
  readCaFile,
  signatureHeaders,
  signingKeysOf,
  SourceError,
} from '../../src/plugin/api.js';
import { type Digest, htmlOf, slackMessageOf, subjectOf, textOf, webhookBodyOf } from './digest.js';
import type { NotificationSettings, Target } from './settings.js';

/** How an attempt ended; `reason` is a sentence. */
export type SendResult =
  | { readonly isSent: true }
  | { readonly isSent: false; readonly reason: string; readonly waitMs?: number };

export type SendDigest = (
  target: Target,
  digest: Digest,
  signal?: AbortSignal,
) => Promise<SendResult>;

type Host = Pick<
  PluginHost<NotificationSettings>,
  'http' | 'network' | 'settings' | 'publicUrl'
> & {
  readonly now: () => Date;
};

const TIMEOUT_MS = 10_000;
const BODY_LIMIT = 4_096;

/** Loads the library, which is only installed where e-mail is sent. */
export const loadNodemailer = () => optionalLibrary('nodemailer', () => import('nodemailer'));

/** Sends a digest once, through the address guard. Never rejects. */
export const createSendDigest = ({ http, network, settings, publicUrl, now }: Host): SendDigest => {
  const post = async (
    url: string,
    {
      headers,
      body,
    }: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
    signal?: AbortSignal,
  ): Promise<SendResult> => {
    const all = { 'Content-Type': 'application/json', ...headers };
    const request = { url, headers: all, body, timeoutMs: TIMEOUT_MS, bodyLimit: BODY_LIMIT };
    const outcome = classifyResponse(await http.post(request, signal), now());
    if (outcome.kind === 'delivered') return { isSent: true };
    const { reason, waitMs } = outcome;
    return { isSent: false, reason, ...(waitMs !== undefined && { waitMs }) };
  };

  const toWebhook = (
    { url, secret }: Extract<Target, { kind: 'webhook' }>,
    digest: Digest,
    signal?: AbortSignal,
  ): Promise<SendResult> => {
    const body = Buffer.from(JSON.stringify(webhookBodyOf(digest, publicUrl())), 'utf8');
    const keys = signingKeysOf(secret.reveal());
    const headers = signatureHeaders(keys, { id: digest.id, body, at: now() });
    return post(url, { headers, body }, signal);
  };

  const byMail = async (
    target: Extract<Target, { kind: 'email' }>,
    digest: Digest,
    signal?: AbortSignal,
  ): Promise<SendResult> => {
    const { host, port, security, user, password, from, to } = target;
    const { createTransport } = await loadNodemailer();
    const transport = createTransport({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      tls: {
        ...(isIP(host) === 0 && { servername: host }),
        ...(settings.ca !== undefined && { ca: [...rootCertificates, ...readCaFile(settings.ca)] }),
      },
      ...(user !== undefined && { auth: { user, pass: password?.reveal() ?? '' } }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // The library must neither resolve nor dial: the guard checks the address that is dialled.
      getSocket: (_options, done) => {
        network.connect({ host, port, ...(signal && { signal }) }).then(
          (connection) => done(null, { connection }),
          (error: unknown) => done(error as Error, false),
        );
      },
      // Texts of other systems must not name files or addresses to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail({
        from,
        to,
        subject: subjectOf(digest),
        text: textOf(digest, publicUrl()),
        html: htmlOf(digest, publicUrl()),
        // A repeated attempt is the same message to mail programs.
        messageId: `<${digest.id}@${new URL(publicUrl()).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return { isSent: true };
    } catch (error) {
      return { isSent: false, reason: mailFault(error) };
    } finally {
      transport.close();
    }
  };

  return async (target, digest, signal) => {
    try {
      switch (target.kind) {
        case 'email':
          return await byMail(target, digest, signal);
        case 'webhook':
          return await toWebhook(target, digest, signal);
        case 'slack': {
          const message = slackMessageOf(digest, publicUrl());
          const body = Buffer.from(JSON.stringify(message), 'utf8');
          return await post(target.url.reveal(), { headers: {}, body }, signal);
        }
      }
    } catch (error) {
      return { isSent: false, reason: error instanceof Error ? error.message : String(error) };
    }
  };
};

const MAX_REASON = 300;

/** In the words of the mail server, without line breaks; the library adds no secrets. */
const mailFault = (error: unknown): string => {
  if (error instanceof SourceError) return error.message;
  const { responseCode, response, message } = error as {
    readonly responseCode?: number;
    readonly response?: string;
    readonly message?: string;
  };
  const text = (response ?? message ?? String(error)).replace(/\s+/g, ' ').slice(0, MAX_REASON);
  return responseCode === undefined
    ? `The mail server cannot be used: ${text}`
    : `The mail server refused the message: ${text}`;
};
