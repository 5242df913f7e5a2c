/*
 * The names behind which secrets and phone numbers stand: of attributes and parameters, of fields of
 * log lines, and of settings of extensions. One list for all that hide values by their name.
 */

/** Also as a part of a word: `userpassword`, `clientSecret`, `phonenumbers`; no `secretary`. */
const SECRET_PART =
  /pass[\W_]?(?:word|phrase|code|wd)|passwort|kennwort|secret(?!ar)|token|credential|authorization|signature|(?:api|private|access|signing)[\W_]?key|(?:one[\W_]?time|verification|security|recovery|backup)[\W_]?code/i;
const PHONE_PART = /phone|mobile|msisdn|rufnummer/i;

/** As a word only: `userPin`, `pin_code`, not `shipping`; `cellNumber`, not `excellent`. */
const SECRET_WORD = /\b(?:pwd|pw|pins?|pincode|puk|otps?|totp|cvv|cvc|jwt|cookies?)\b|\bpass$/;
const PHONE_WORD =
  /\b(?:cell|cells|cellular|fax|gsm|handy|mobil|pager|sms|tel|telefax|telefon[oe]?|whatsapp)(?:nr|no|num|nummer|numbers?)?\b/;

/** `newPIN_2` as `new pin`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim();

/** Whether secrets stand behind this name, such as `password`, `otp` and `apiKey`. */
export const isSecretName = (name: string): boolean =>
  SECRET_PART.test(name) || SECRET_WORD.test(wordsOf(name));

/** Whether phone numbers stand behind this name, such as `phoneNumbers`, `cell` and `msisdn`. */
export const isPhoneName = (name: string): boolean =>
  PHONE_PART.test(name) || PHONE_WORD.test(wordsOf(name));
