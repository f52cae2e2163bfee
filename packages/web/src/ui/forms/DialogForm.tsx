import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorText } from '../feedback/ErrorText.tsx'
import { notifySuccess } from '../feedback/notify.ts'
import { DialogFoot } from './DialogFoot.tsx'
import type { Faults } from './fieldFaults.ts'
import { focusFirstFault } from './focusFirstFault.ts'
import { useFieldFaults } from './useFieldFaults.ts'
import { useChanged, useLeave } from './useLeave.tsx'

interface DialogFormOptions<Values, Made> {
  initial: () => Values
  /** texts of faults by field, in the user's language: `check(Schema)` of lib/validation.ts */
  faultsOf: (values: Values) => Faults
  /** @returns what was created and is to be shown; null after a change; undefined if the user went back */
  save: (values: Values) => Promise<Made | null | undefined>
  onMade: (made: Made) => void | Promise<void>
  onClose: () => void
}

/**
 * State of a form in a dialog, checked while somebody types: a fault is shown once its field was left or a save
 * was tried.
 */
export function useDialogForm<Values extends object, Made>({
  initial,
  faultsOf,
  save,
  onMade,
  onClose,
}: DialogFormOptions<Values, Made>) {
  const { t } = useTranslation()
  const [values, setValues] = useState(initial)
  const { faults, attempt, place } = useFieldFaults(() => values, faultsOf)
  const [failure, setFailure] = useState<unknown>(null)
  const dirty = useChanged(values)
  const saving = useMutation({
    mutationFn: () => save(values),
    onMutate: () => setFailure(null),
    onError: (error) => setFailure(place(error) ? error : null),
    onSuccess: (made) => {
      if (made === undefined) return
      if (made !== null) return void onMade(made)
      notifySuccess(t('common.saved'))
      return onClose()
    },
  })
  const { close, question } = useLeave(dirty && !saving.isPending && !saving.isSuccess, onClose)
  return {
    values,
    /** for the dialog's `onClose` */
    close,
    set: (change: Partial<Values>) => setValues((current) => ({ ...current, ...change })),
    /** of the field or a part of it */
    faultAt: (name: keyof Values & string) =>
      faults[name] ?? Object.entries(faults).find(([path]) => path.startsWith(`${name}.`))?.[1] ?? null,
    form: {
      error: failure,
      isPending: saving.isPending,
      onClose: close,
      question,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        if (Object.keys(attempt()).length === 0) saving.mutate()
        else focusFirstFault()
      },
    },
  }
}

interface DialogFormProps {
  form: ReturnType<typeof useDialogForm>['form']
  saveLabel: string
  children: ReactNode
}

/** Fields, error and buttons. */
export function DialogForm({ form, saveLabel, children }: DialogFormProps) {
  const { t } = useTranslation()
  return (
    <form noValidate onSubmit={form.onSubmit}>
      <Stack gap="md">
        {children}
        {form.error ? <ErrorText error={form.error} /> : null}
        <DialogFoot>
          <Button variant="default" onClick={form.onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={form.isPending}>
            {saveLabel}
          </Button>
        </DialogFoot>
      </Stack>
      {form.question}
    </form>
  )
}
