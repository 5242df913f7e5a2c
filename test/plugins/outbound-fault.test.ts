import { describe, expect, it } from 'vitest';
import { classifyFault } from '../../src/plugin/outbound/outbound-fault.js';

const url = new URL('https://hook.test:8443/secret-path');
const failing = (code: string, more: object = {}) =>
  classifyFault(
    Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:8443'), { code }, more),
    url,
  );

describe('a fault', () => {
  it.each([
    ['ENOTFOUND', 'dns', 'The name hook.test has no address.'],
    ['EAI_AGAIN', 'dns', 'The name hook.test could not be resolved.'],
    ['ECONNREFUSED', 'connect', 'Connection to hook.test:8443 refused or unreachable.'],
    ['EHOSTUNREACH', 'connect', 'Connection to hook.test:8443 refused or unreachable.'],
    ['ETIMEDOUT', 'timeout', 'Connection to hook.test:8443 timed out.'],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'tls',
      'The server does not use TLS at hook.test:8443; is it an address for http://?',
    ],
    ['EPROTO', 'tls', 'The TLS connection failed (EPROTO).'],
    ['CERT_REVOKED', 'tls', 'The TLS connection failed (CERT_REVOKED).'],
    ['HPE_INVALID_CONSTANT', 'broken', 'The response is not valid HTTP.'],
    ['HPE_HEADER_OVERFLOW', 'broken', 'The response headers are too large; 64 KiB are accepted.'],
    ['ECONNRESET', 'broken', 'The connection closed before the response was complete.'],
  ])('%s is reported as %s, in words', (code, fault, message) => {
    expect(failing(code)).toEqual({ fault, message });
  });

  it('is reported without the address behind the name or the text of the error', () => {
    for (const code of ['ECONNREFUSED', 'ETIMEDOUT', 'EPROTO', 'ECONNRESET', '', 'SOMETHING'])
      expect(failing(code).message).not.toContain('10.1.2.3');
  });

  it('of no error at all is a broken connection', () => {
    for (const odd of [undefined, null, 'text', { code: 7 }])
      expect(classifyFault(odd, url)).toMatchObject({ fault: 'broken' });
  });

  it('names the default port', () => {
    const error = Object.assign(new Error(), { code: 'ECONNREFUSED' });
    expect(classifyFault(error, new URL('https://hook.test/')).message).toBe(
      'Connection to hook.test:443 refused or unreachable.',
    );
  });

  it('of a certificate for other names lists some of them, and only names', () => {
    const cert = (subjectaltname: string) =>
      failing('ERR_TLS_CERT_ALTNAME_INVALID', { cert: { subjectaltname } });
    expect(cert('DNS:a.test, IP Address:10.0.0.1, DNS:*.b.test').message).toBe(
      'The certificate is for another name (a.test, *.b.test).',
    );
    expect(cert('DNS:a.test, DNS:b.test, DNS:c.test, DNS:d.test').message).toBe(
      'The certificate is for another name (a.test, b.test, c.test, …).',
    );
    expect(cert('DNS:"<script>, x"').message).toBe('The certificate is for another name.');
    expect(failing('ERR_TLS_CERT_ALTNAME_INVALID').message).toBe(
      'The certificate is for another name.',
    );
  });
});
