import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import * as tls from 'node:tls';
import type { SettingFault } from '../contract/extension.js';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The system's authorities and those of a PEM file. Throws an Error for an operator where the file
 * cannot be read or holds no certificate.
 */
export const trustedCertificates = (file: string): readonly string[] => [
  ...systemCertificates(),
  ...readCaFile(file),
];

/** Node 22 includes NODE_EXTRA_CA_CERTS and --use-system-ca; Node 20 returns only its own list. */
const systemCertificates = (): readonly string[] => {
  const { getCACertificates } = tls as { readonly getCACertificates?: () => readonly string[] };
  return getCACertificates ? getCACertificates() : rootCertificates;
};

/** The CA certificates in a PEM file; throws if there is none or one cannot be read. */
export const readCaFile = (file: string): readonly string[] => {
  const certificates = readText(file).match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    throw new Error(`${file} contains no certificate. Set a PEM file of CA certificates.`);
  for (const certificate of certificates) requireReadable(file, certificate);
  return certificates;
};

/** What is wrong with the file that the setting `ca` names, for `checkFiles`. */
export const checkCaFile = (ca: string | undefined, cwd: string): readonly SettingFault[] => {
  if (ca === undefined) return [];
  try {
    readCaFile(resolve(cwd, ca));
    return [];
  } catch (error) {
    return [{ path: ['ca'], message: error instanceof Error ? error.message : String(error) }];
  }
};

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`Cannot read CA file ${file}.`, { cause });
  }
};

const requireReadable = (file: string, certificate: string): void => {
  try {
    new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`${file} holds a certificate that cannot be read.`, { cause });
  }
};
