import { createHash, createSign, randomUUID } from 'node:crypto';
import { SourceError } from '../../src/plugin/api.js';

/** The user that a token is requested for, and the key that signs it. */
export interface SamlAssertion {
  readonly user: string;
  readonly clientId: string;
  readonly tokenUrl: string;
  /** The private RSA key, in PEM. */
  readonly privateKey: string;
  /** In PEM. */
  readonly certificate: string | undefined;
  readonly now: Date;
}

const AUDIENCE = 'www.successfactors.com';
const LIFETIME_MS = 10 * 60_000;
/** Clocks differ. */
const EARLIER_MS = 5 * 60_000;
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/**
 * A SAML 2.0 bearer assertion (RFC 7522) as SuccessFactors accepts it, signed with RSA-SHA256 and in
 * Base64. It is written in the form of Exclusive XML Canonicalization: no empty-element tags,
 * attributes in order, namespaces where they are used. So what is signed is the text itself.
 */
export const signSamlAssertion = (assertion: SamlAssertion): string => {
  const { user, clientId, tokenUrl, privateKey, certificate, now } = assertion;
  const id = `_${randomUUID()}`;
  const at = (ms: number): string => new Date(now.getTime() + ms).toISOString();
  const until = at(LIFETIME_MS);
  const head =
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" ` +
    `IssueInstant="${at(0)}" Version="2.0"><saml:Issuer>${AUDIENCE}</saml:Issuer>`;
  const body =
    '<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">' +
    `${escaped(user)}</saml:NameID>` +
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
    `<saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${escaped(tokenUrl)}">` +
    '</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>' +
    `<saml:Conditions NotBefore="${at(-EARLIER_MS)}" NotOnOrAfter="${until}">` +
    `<saml:AudienceRestriction><saml:Audience>${AUDIENCE}</saml:Audience>` +
    '</saml:AudienceRestriction></saml:Conditions>' +
    `<saml:AuthnStatement AuthnInstant="${at(0)}" SessionIndex="${id}"><saml:AuthnContext>` +
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified' +
    '</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
    `<saml:AttributeStatement><saml:Attribute Name="api_key"><saml:AttributeValue>` +
    `${escaped(clientId)}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>` +
    '</saml:Assertion>';
  const digest = createHash('sha256')
    .update(head + body)
    .digest('base64');
  const signedInfo =
    `<ds:SignedInfo xmlns:ds="${DSIG}"><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}">` +
    '</ds:CanonicalizationMethod>' +
    '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256">' +
    `</ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms>` +
    `<ds:Transform Algorithm="${DSIG}enveloped-signature"></ds:Transform>` +
    `<ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform></ds:Transforms>` +
    '<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>' +
    `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const key =
    certificate === undefined
      ? ''
      : '<ds:KeyInfo><ds:X509Data><ds:X509Certificate>' +
        certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '') +
        '</ds:X509Certificate></ds:X509Data></ds:KeyInfo>';
  const signature =
    `<ds:Signature xmlns:ds="${DSIG}">${signedInfo}` +
    `<ds:SignatureValue>${sign(signedInfo, privateKey)}</ds:SignatureValue>${key}</ds:Signature>`;
  return Buffer.from(head + signature + body).toString('base64');
};

const sign = (text: string, privateKey: string): string => {
  try {
    return createSign('RSA-SHA256').update(text).sign(privateKey, 'base64');
  } catch (cause) {
    throw new SourceError(
      'config',
      'The setting `privateKey` is not a private RSA key in PEM. It begins with ' +
        '"-----BEGIN PRIVATE KEY-----"; keep its line breaks, for example with {file: …}.',
      { cause },
    );
  }
};

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text without control characters and quotes, as in the settings. */
const escaped = (text: string): string =>
  text.replaceAll(/[\p{Cc}"]/gu, '').replaceAll(/[&<>]/g, (one) => ENTITIES[one] ?? one);
