// The library's dependency injection needs it before the first import.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A TLS server's certificate and private key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly from: Date;
  readonly until: Date;
}

/** A certificate authority in memory, for tests, benchmarks and the demo. */
export interface Authority {
  /** PEM, for clients that trust this authority. */
  readonly certificate: string;
  /** Issues a server certificate for these host names and IP addresses. */
  readonly issue: (names: readonly string[], validity?: Validity) => Promise<Identity>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const DAY_MS = 86_400_000;

/** From an hour ago, so that clocks may differ. */
const aMonth = (): Validity => ({
  from: new Date(Date.now() - DAY_MS / 24),
  until: new Date(Date.now() + 30 * DAY_MS),
});

const generateKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const toPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;

interface Issuer {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

interface Subject {
  readonly name: string;
  readonly publicKey: webcrypto.CryptoKey;
  readonly extensions: readonly Extension[];
  readonly validity: Validity;
}

const certify = async (
  issuer: Issuer,
  { name, publicKey, extensions, validity }: Subject,
): Promise<string> => {
  const certificate = await X509CertificateGenerator.create({
    issuer: [{ CN: [issuer.name] }],
    subject: [{ CN: [name] }],
    publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    notBefore: validity.from,
    notAfter: validity.until,
    extensions: [
      ...extensions,
      await SubjectKeyIdentifierExtension.create(publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
};

const authorityExtensions = (): readonly Extension[] => [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
];

const serverExtensions = (names: readonly string[]): readonly Extension[] => [
  new BasicConstraintsExtension(false, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
  new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
  new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
  ),
];

export const createAuthority = async (name = 'Rollgate test authority'): Promise<Authority> => {
  const authority: Issuer = { name, keys: await generateKeys() };
  return {
    certificate: await certify(authority, {
      name,
      publicKey: authority.keys.publicKey,
      extensions: authorityExtensions(),
      validity: aMonth(),
    }),
    issue: async (names, validity = aMonth()) => {
      const { publicKey, privateKey } = await generateKeys();
      const extensions = serverExtensions(names);
      const subject = { name: names[0] ?? 'server', publicKey, extensions, validity };
      return { certificate: await certify(authority, subject), key: await toPem(privateKey) };
    },
  };
};

/** A server's certificate that no authority has signed. */
export const createSelfSigned = async (name: string): Promise<Identity> => {
  const keys = await generateKeys();
  const { publicKey, privateKey } = keys;
  const subject = { name, publicKey, extensions: serverExtensions([name]), validity: aMonth() };
  return { certificate: await certify({ name, keys }, subject), key: await toPem(privateKey) };
};
