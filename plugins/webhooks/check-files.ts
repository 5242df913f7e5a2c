import { resolve } from 'node:path';
import { readCaFile, type SettingFault } from '../../src/plugin/api.js';
import type { WebhookSettings } from './settings.js';

/** What is wrong with the file of authorities, before a delivery needs it. */
export const checkFiles = ({ ca }: WebhookSettings, cwd: string): readonly SettingFault[] => {
  if (ca === undefined) return [];
  try {
    readCaFile(resolve(cwd, ca));
    return [];
  } catch (error) {
    return [{ path: ['ca'], message: error instanceof Error ? error.message : String(error) }];
  }
};
