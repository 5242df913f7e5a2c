import './harden.js';
import './lean-heap.js';
import { serve } from './serve.js';

await serve({ env: process.env });
