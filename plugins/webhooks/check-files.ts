import { resolve } from 'node:path';
import { readAuthorities, type SettingFault } from '../../src/plugin/api.js';
import type { WebhookSettings } from './settings.js';

/** What is wrong with the file of authorities, before a delivery needs it. */
export const checkFiles = ({ ca }: WebhookSettings, cwd: string): readonly SettingFault[] => {
  if (ca === undefined) return [];
  try {
    readAuthorities(resolve(cwd, ca));
    return [];
  } catch (error) {
    return [{ path: ['ca'], message: error instanceof Error ? error.message : String(error) }];
  }
};
