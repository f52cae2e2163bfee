import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorText } from '../feedback/ErrorText.tsx'
import { notifySuccess } from '../feedback/notify.ts'
import { useChanged, useLeave } from './useLeave.tsx'

interface DialogFormOptions<Values, Made> {
  initial: () => Values
  /** text keys by field */
  faultsOf: (values: Values) => Partial<Record<keyof Values, string>>
  /** @returns what was created and is to be shown; null after a change; undefined if the user went back */
  save: (values: Values) => Promise<Made | null | undefined>
  onMade: (made: Made) => void
  onClose: () => void
}

/** State of a form in a dialog. Errors are shown once the user has tried to save. */
export function useDialogForm<Values, Made>({
  initial,
  faultsOf,
  save,
  onMade,
  onClose,
}: DialogFormOptions<Values, Made>) {
  const { t } = useTranslation()
  const [values, setValues] = useState(initial)
  const [tried, setTried] = useState(false)
  const faults = faultsOf(values)
  const dirty = useChanged(values)
  const saving = useMutation({
    mutationFn: () => save(values),
    onSuccess: (made) => {
      if (made === undefined) return
      if (made !== null) return onMade(made)
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
    faultAt: (name: keyof Values) => {
      const fault: string | undefined = faults[name]
      return tried && fault ? t(fault) : null
    },
    form: {
      error: saving.error,
      isPending: saving.isPending,
      onClose: close,
      question,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        setTried(true)
        if (Object.keys(faults).length === 0) saving.mutate()
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
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={form.onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" loading={form.isPending}>
            {saveLabel}
          </Button>
        </Group>
      </Stack>
      {form.question}
    </form>
  )
}
