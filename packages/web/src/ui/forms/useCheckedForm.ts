import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { useCallback } from 'react'
import type { Faults } from './fieldFaults.ts'
import { useFieldFaults } from './useFieldFaults.ts'

interface CheckedForm<Values> {
  initialValues: Values
  /** texts of faults by field, in the user's language: `check(Schema)` of lib/validation.ts */
  validate: (values: Values) => Faults
}

/**
 * Mantine's form, checked while somebody types: a fault is shown once its field was left or a save was tried.
 * What the server refuses (`setErrors`, `setFieldError`) stays until that field is changed.
 */
export function useCheckedForm<Values extends Record<string, unknown>>({
  initialValues,
  validate,
}: CheckedForm<Values>): UseFormReturnType<Values> {
  const form = useForm<Values>({ initialValues })
  const { faults, show, attempt, refuse, restart } = useFieldFaults<Values>(form.getValues, validate)
  const { getValues, reset, resetDirty } = form
  const tryAll = () => {
    const errors = attempt()
    return { hasErrors: Object.keys(errors).length > 0, errors }
  }
  return {
    ...form,
    errors: faults,
    getInputProps: (path, options) => {
      const props = form.getInputProps(path, options)
      return 'error' in props ? { ...props, error: faults[path] } : props
    },
    validate: tryAll,
    validateField: (path: string) => {
      show(path)
      const error = validate(getValues())[path]
      return { hasError: error !== undefined, error }
    },
    isValid: (path?: string) => {
      const errors = validate(getValues())
      return path === undefined ? Object.keys(errors).length === 0 : errors[path] === undefined
    },
    onSubmit: (handle, onFaults) => (event) => {
      event?.preventDefault()
      const { hasErrors, errors } = tryAll()
      if (hasErrors) onFaults?.(errors, getValues(), event)
      else void handle(getValues(), event)
    },
    setErrors: (errors) => refuse(textsOf(typeof errors === 'function' ? errors(faults) : errors)),
    setFieldError: (path, error) => refuse(textsOf({ [path]: error })),
    reset: () => {
      reset()
      restart(getValues())
    },
    resetDirty: useCallback(
      (values) => {
        resetDirty(values)
        restart(values ?? getValues())
      },
      [resetDirty, restart, getValues],
    ),
  }
}

const textsOf = (errors: FormErrors): Faults =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([path, text]) => (typeof text === 'string' ? [[path, text]] : [])),
  )
