import './harden.js';
import { serve } from './serve.js';

await serve({ env: process.env });
