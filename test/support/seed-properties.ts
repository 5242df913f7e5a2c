import fc from 'fast-check';
import { PROPERTY_SEED } from './property-seed.js';

if (PROPERTY_SEED !== undefined) fc.configureGlobal({ seed: PROPERTY_SEED });
