import { nameError } from '../../../src/plugin/api.js';

const ENDS =
  /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]+|[\p{White_Space}\p{Default_Ignorable_Code_Point}]+$/gu;

/** An id or address without what is copied along at its ends: spaces and invisible characters. */
export const trimIdentifier = (text: string): string => text.replace(ENDS, '');

/** `4.93E+11`, as spreadsheets write a long number: its digits are lost. */
const ROUNDED = /^[+-]?\d([.,]\d+)?E\+\d+$/i;

/** Why a text identifies no one and reaches no one; undefined if it may. */
export const identifierError = (text: string): string | undefined => {
  if (text === '') return 'has no visible character';
  if (ROUNDED.test(text))
    return 'is a number that a spreadsheet has rounded: format the column as text, and export again';
  return nameError(text);
};
