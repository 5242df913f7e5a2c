/** One problem of a request, such as a field that is not valid. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** What the gateway answers instead of a result. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** 0: no gateway answered. */
  readonly status: number;
  /** `USER_NOT_FOUND`; `OFFLINE` if no gateway answered. */
  readonly code: string;
  readonly requestId: string | null;
  readonly details: readonly ErrorDetail[];

  constructor(
    message: string,
    {
      status = 0,
      code,
      requestId = null,
      details = [],
    }: { readonly code: string } & Partial<Pick<ApiError, 'status' | 'requestId' | 'details'>>,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
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
  return new ApiError(body.message ?? 'The gateway answered without an explanation.', {
    status: response.status,
    code: body.error ?? `HTTP_${response.status}`,
    requestId: body.request_id ?? response.headers.get('x-request-id'),
    details: body.details ?? [],
  });
};

/** Whatever was thrown, as an error that can be shown. */
export const asApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  if (error instanceof TypeError)
    return new ApiError('The gateway does not answer.', { code: 'OFFLINE' });
  return new ApiError(String(error), { code: 'DASHBOARD_FAULT' });
};
