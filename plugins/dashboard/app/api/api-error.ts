/** One problem of a request, such as a field that is not valid. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** What the gateway answers instead of a result. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** `USER_NOT_FOUND`; `OFFLINE` if no gateway answered. */
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly ErrorDetail[] = [],
  ) {
    super(message);
  }
}

interface ErrorBody {
  readonly error?: string;
  readonly message?: string;
  readonly request_id?: string;
  readonly details?: readonly ErrorDetail[];
}

export const errorOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  return new ApiError(
    response.status,
    body.error ?? `HTTP_${response.status}`,
    body.message ?? 'The gateway answered without an explanation.',
    body.request_id ?? response.headers.get('x-request-id'),
    body.details,
  );
};

/** Whatever was thrown, as an error that can be shown. */
export const asApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError)
    return new ApiError(0, 'OFFLINE', 'The gateway does not answer.', null);
  return new ApiError(0, 'DASHBOARD_FAULT', String(error), null);
};
