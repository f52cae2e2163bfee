import { Text, Textarea } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { DialogForm, useDialogForm } from '../../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { initialText, isFaulty, toValue } from '../states/manualValue.ts'
import { stateText } from '../states/text.ts'
import { ValueField } from '../states/ValueField.tsx'
import type { HistoryState } from './HistoryDialog.tsx'
import type { HistoryRow } from './HistoryTable.tsx'
import { reasonFault, reasonLengthMax } from './reason.ts'

interface CorrectValueDialogProps {
  state: HistoryState
  row: HistoryRow
  onDone: () => Promise<void>
  onClose: () => void
}

/** Replaces a stored value, with the reason. */
export default function CorrectValueDialog(props: CorrectValueDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal opened onClose={props.onClose} title={t('history.correctTitle', { title: props.state.title })}>
      <CorrectValueForm {...props} />
    </FormModal>
  )
}

function CorrectValueForm({ state, row, onDone, onClose }: CorrectValueDialogProps) {
  const { t } = useTranslation()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({
      value: initialText({ valueType: state.valueType, value: row.value as null }),
      reason: '',
    }),
    faultsOf: ({ value, reason }) => {
      const needed = value.trim() === '' && state.valueType !== 'text'
      const wrong = state.valueType === 'number' ? 'validation.number' : 'errors.INVALID_JSON_VALUE'
      return {
        ...(needed ? { value: t('validation.required') } : isFaulty(state, value) ? { value: t(wrong) } : {}),
        ...reasonFault(reason, t),
      }
    },
    save: async ({ value, reason }) => {
      await client.stateValue.correct({ id: state.id, time: row.time, value: toValue(state, value), reason })
      await onDone()
      return null
    },
    onMade: onClose,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('history.correct')}>
      <Text size="sm">
        {t('history.storedValue', { time: formatTime(row.time), value: stateText(row.value, state) })}
      </Text>
      <ValueField
        state={state}
        text={values.value}
        onChange={(value) => set({ value })}
        fault={faultAt('value') ?? undefined}
      />
      <Textarea
        label={t('history.reason')}
        description={t('history.reasonHint')}
        required
        autosize
        maxLength={reasonLengthMax}
        value={values.reason}
        error={faultAt('reason')}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
      <Text size="xs" c="dimmed">
        {t('history.follows')}
      </Text>
    </DialogForm>
  )
}
