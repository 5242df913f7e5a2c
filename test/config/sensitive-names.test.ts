import { describe, expect, it } from 'vitest';
import { isPhoneName, isSecretName } from '../../config/sensitive-names.js';
import { expectQuick } from '../support/expect-quick.js';

const kindOf = (name: string) =>
  isSecretName(name) ? 'secret' : isPhoneName(name) ? 'phone' : undefined;

const kindsOf = (names: string) => names.split(' ').map((name) => [name, kindOf(name)]);
const allOf = (names: string, kind: string | undefined) =>
  names.split(' ').map((name) => [name, kind]);

describe('a sensitive name', () => {
  it.each([
    'password userPassword user_password passwords passwd passphrase passCode pass_word db_pass',
    'pwd userPwd PWD user-pwd pin PIN userPin pinCode pin_code pincode newPIN2 puk otp otpCode',
    'secret clientSecret token access_token idToken tokens credentials authorization signature',
    'apiKey API_KEY api-key privateKey accessKey cookie set-cookie jwt cvv one_time_code',
    'securityCode urn:example:2.0:User:pin urn:example:2.0:User.clientSecret secretAccessKey',
  ])('names a secret: %s', (names) => {
    expect(kindsOf(names)).toEqual(allOf(names, 'secret'));
  });

  it.each([
    'phoneNumbers phone_number phonenumber homePhone mobile mobileNumber cell cellNumber cell_no',
    'CellPhone msisdn MSISDN userMsisdn fax faxNumber faxnumber tel telNr telephone telefon pager',
    'sms smsNumber handy mobil rufnummer whatsapp gsm urn:example:2.0:User:cell tel2',
  ])('names a phone number: %s', (names) => {
    expect(kindsOf(names)).toEqual(allOf(names, 'phone'));
  });

  it.each([
    'shipping shippingAddress opinion pinned spinner pinboard topic secretary excellent cancelled',
    'cellar parcel miscellaneous hotel hotels telemetry intel titel handyman faction option adopted',
    'userName displayName externalId id employeeNumber seats seatCount createdAt active timezone',
    'compass passenger bypass_list companyKey keyword key emails value type department costCenter',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User numbers members manager roles',
  ])('is none of these: %s', (names) => {
    expect(kindsOf(names)).toEqual(allOf(names, undefined));
  });

  it('is recognised in linear time', async () => {
    for (const part of ['a', 'aB', 'A', 'pass', 'pass_', '_', 'pin ', 'one_time'])
      await expectQuick(() => kindOf(part.repeat(30_000)));
  });
});
