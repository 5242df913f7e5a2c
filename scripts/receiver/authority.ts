import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import {
  bitString,
  integer,
  octetString,
  oid,
  sequence,
  set,
  tagged,
  taggedBytes,
  truth,
  utcTime,
  utf8String,
} from './der.js';

/** What a TLS server shows and what it proves it with, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly from: Date;
  readonly until: Date;
}

/** A certificate authority for tests and the demo, made on the fly: no openssl, no files. */
export interface Authority {
  /** PEM, for those who are to trust it. */
  readonly certificate: string;
  /** A server's identity for these names and addresses. */
  readonly issue: (names: readonly string[], validity?: Validity) => Identity;
}

const DAY = 86_400_000;
/** An hour back, for machines whose clocks differ. */
const aMonth = (): Validity => ({
  from: new Date(Date.now() - DAY / 24),
  until: new Date(Date.now() + 30 * DAY),
});

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

const nameOf = (commonName: string): Buffer =>
  sequence(set(sequence(oid('2.5.4.3'), utf8String(commonName))));

const extension = (id: string, value: Uint8Array): Buffer => sequence(oid(id), octetString(value));
const criticalExtension = (id: string, value: Uint8Array): Buffer =>
  sequence(oid(id), truth, octetString(value));

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
/** Any digest of the key will do (RFC 5280, 4.2.1.2). */
const keyIdOf = (key: KeyObject): Buffer => createHash('sha1').update(spkiOf(key)).digest();

const AUTHORITY_EXTENSIONS = [
  criticalExtension('2.5.29.19', sequence(truth)), // basic constraints: an authority
  criticalExtension('2.5.29.15', bitString(Buffer.from([0x06]), 1)), // signs certificates and lists
];
const SERVER_EXTENSIONS = [
  criticalExtension('2.5.29.19', sequence()),
  criticalExtension('2.5.29.15', bitString(Buffer.from([0x80]), 7)), // digital signature
  extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1'))), // server authentication
];

const alternativeNames = (names: readonly string[]): Buffer =>
  extension('2.5.29.17', sequence(...names.map(alternativeName)));

const alternativeName = (name: string): Buffer =>
  isIP(name) === 0
    ? taggedBytes(2, Buffer.from(name))
    : taggedBytes(7, Buffer.from(ipaddr.parse(name).toByteArray()));

interface Issuer {
  readonly name: string;
  readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
}

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const certify = (issuer: Issuer, subject: Subject, validity: Validity): string => {
  const extensions = [
    ...subject.extensions,
    extension('2.5.29.14', octetString(keyIdOf(subject.publicKey))),
    extension('2.5.29.35', sequence(taggedBytes(0, keyIdOf(issuer.keys.publicKey)))),
  ];
  const content = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x4a]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer.name),
    sequence(utcTime(validity.from), utcTime(validity.until)),
    nameOf(subject.name),
    spkiOf(subject.publicKey),
    tagged(3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer.keys.privateKey);
  return inPem(sequence(content, ECDSA_WITH_SHA256, bitString(signature)));
};

const inPem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
};

const inPkcs8 = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const newKeys = (): Issuer['keys'] => generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export const createAuthority = (name = 'Rollgate test authority'): Authority => {
  const self: Issuer = { name, keys: newKeys() };
  const own = { name, publicKey: self.keys.publicKey, extensions: AUTHORITY_EXTENSIONS };
  return {
    certificate: certify(self, own, aMonth()),
    issue: (names, validity = aMonth()) => {
      const { publicKey, privateKey } = newKeys();
      const extensions = [...SERVER_EXTENSIONS, alternativeNames(names)];
      const subject = { name: names[0] ?? 'server', publicKey, extensions };
      return {
        certificate: certify(self, subject, validity),
        key: inPkcs8(privateKey),
      };
    },
  };
};

/** A server's identity that no authority vouches for. */
export const selfSigned = (name: string): Identity => {
  const keys = newKeys();
  const extensions = [...SERVER_EXTENSIONS, alternativeNames([name])];
  const subject = { name, publicKey: keys.publicKey, extensions };
  return { certificate: certify({ name, keys }, subject, aMonth()), key: inPkcs8(keys.privateKey) };
};
