import type { ErrorRequestHandler } from 'express';
import { httpStatusOf } from '../../api/refusal-status.js';
import { refusalHeadersOf, refusalOf } from '../errors.js';
import { hideDeletedTenant } from '../hide-deleted-tenant.js';
import { contextOf } from '../request-context.js';
import type { ResponseFormat } from '../response-format.js';

/** The last step of an interface: sends any error as a refusal in the format of the interface. */
export const handleErrors =
  (format: ResponseFormat): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const context = contextOf(request);
    const refusal = hideDeletedTenant(refusalOf(error, context.log), context);
    // A response that was partly sent cannot become an error: close the connection.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    context.refusal = refusal;
    const text = JSON.stringify(format.errorBodyOf(refusal, context));
    response.removeHeader('ETag');
    response.writeHead(httpStatusOf(refusal), {
      ...refusalHeadersOf(refusal, request),
      'Content-Type': format.mediaType,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
    });
    response.end(text);
  };
