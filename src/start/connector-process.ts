/** The process of a connector with `isolation: process` (decision 0048). */
import { BUILT_IN_CONNECTORS } from '../../connectors/index.js';
import { serveConnector } from '../plugin/connector-runtime/serve-connector.js';

serveConnector(BUILT_IN_CONNECTORS);
