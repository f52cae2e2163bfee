import { alarmLimits } from '@leitstand/contract/alarms'
import { Checkbox, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { reread } from '../../lib/reread.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'

interface CommentDialogProps {
  ids: readonly number[]
  onDone: () => void
  onClose: () => void
}

/** The same comment on several alarms. */
export function CommentDialog({ ids, onDone, onClose }: CommentDialogProps) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('alarms.commentOn', { count: ids.length })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <CommentForm ids={ids} onDone={onDone} onClose={onClose} />
    </FormModal>
  )
}

function CommentForm({ ids, onDone, onClose }: CommentDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ text: '', acknowledge: true }),
    faultsOf: ({ text }) => (text.trim() === '' ? { text: t('validation.required') } : {}),
    save: async ({ text, acknowledge }) => {
      for (let first = 0; first < ids.length; first += alarmLimits.batchMax) {
        const part = ids.slice(first, first + alarmLimits.batchMax)
        await client.alarmLogs.commentBatch({ ids: part, text: text.trim(), acknowledge })
      }
      await reread(cache, api.alarmLogs.key())
      onDone()
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('alarms.sendComment')}>
      <Textarea
        data-autofocus
        label={t('alarms.comment')}
        required
        autosize
        minRows={3}
        maxRows={8}
        maxLength={4_000}
        value={values.text}
        onChange={(event) => set({ text: event.currentTarget.value })}
        error={faultAt('text')}
      />
      <Checkbox
        label={t('alarms.alsoAcknowledge')}
        checked={values.acknowledge}
        onChange={(event) => set({ acknowledge: event.currentTarget.checked })}
      />
    </DialogForm>
  )
}
