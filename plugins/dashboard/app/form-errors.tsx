import { type Signal, signal } from '@preact/signals';
import { createContext, type FormHTMLAttributes } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { RollgateError } from 'rollgate/client';
import type { ApiError } from './api/api-error.ts';

/** The error of a form, and the names that its fields have in the API. */
const FormContext = createContext<
  { readonly error: Signal<ApiError | undefined>; readonly names: Set<string> } | undefined
>(undefined);

/** A form whose fields show what is wrong with them; `<ErrorNote>` in it shows the rest. */
export const Form = (props: FormHTMLAttributes) => {
  const [form] = useState(() => ({
    error: signal<ApiError>(),
    names: new Set<string>(),
  }));
  return (
    <FormContext.Provider value={form}>
      <form {...props} />
    </FormContext.Provider>
  );
};

/** `NAME_TAKEN` is about the field `name`. */
const problemsOf = ({ code, message, details }: ApiError): ApiError['details'] =>
  code.endsWith('_TAKEN') ? [{ path: code.replace('_TAKEN', '').toLowerCase(), message }] : details;

const isAbout = (path: string, name: string): boolean => path.split(/[.[]/).includes(name);

/** What is wrong with the field of this name; undefined: nothing. */
export const useFieldError = (name: string | undefined): string | undefined => {
  const form = useContext(FormContext);
  useLayoutEffect(() => {
    if (!form || name === undefined) return undefined;
    form.names.add(name);
    return () => void form.names.delete(name);
  }, [name]);
  const error = form?.error.value;
  if (!error || name === undefined) return undefined;
  return problemsOf(error).find(({ path }) => isAbout(path, name))?.message;
};

/** What is wrong with a field of several controls. */
export const FieldError = ({ name }: { readonly name: string | undefined }) => {
  const problem = useFieldError(name);
  return problem ? (
    <small class="field-error" role="alert">
      {problem}
    </small>
  ) : null;
};

/** Shows an error at the fields of the form; returns what is about none of them. */
export const useErrorAtFields = (error: ApiError): ApiError | undefined => {
  const form = useContext(FormContext);
  useLayoutEffect(() => {
    if (!form) return undefined;
    form.error.value = error;
    return () => {
      form.error.value = undefined;
    };
  }, [error]);
  const names = [...(form?.names ?? [])];
  const problems = problemsOf(error);
  const others = problems.filter(({ path }) => !names.some((name) => isAbout(path, name)));
  if (others.length === problems.length) return error;
  if (others.length === 0) return undefined;
  const message = others.map(({ path, message: text }) => `${path} ${text}`).join('; ');
  return new RollgateError({ status: error.status, code: error.code, message: `${message}.` });
};
