import { SimpleGrid, Text, Textarea } from '@mantine/core'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { formatTime } from '../../../lib/format.ts'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { DateTimeField } from '../../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../../ui/forms/FormModal.tsx'
import { stateText } from '../states/text.ts'
import type { HistoryState } from './HistoryDialog.tsx'
import type { HistoryRow } from './HistoryTable.tsx'
import { reasonFault, reasonLengthMax } from './reason.ts'

interface DeleteValuesDialogProps {
  state: HistoryState
  /** the only value to delete; null: those of a period */
  row: HistoryRow | null
  fromMs: number
  toMs: number
  onDone: () => Promise<void>
  onClose: () => void
}

/** Deletes a value or those of a period, with the reason. */
export default function DeleteValuesDialog(props: DeleteValuesDialogProps) {
  const { t } = useTranslation()
  const { state, row } = props
  const title = t(row === null ? 'history.deletePeriodTitle' : 'history.deleteTitle', { title: state.title })
  return (
    <FormModal opened onClose={props.onClose} title={title}>
      <DeleteValuesForm {...props} />
    </FormModal>
  )
}

const localOf = (ms: number) => dayjs(ms).format('YYYY-MM-DDTHH:mm')
const minuteMs = 60_000

function DeleteValuesForm({ state, row, fromMs, toMs, onDone, onClose }: DeleteValuesDialogProps) {
  const { t } = useTranslation()
  const { values, set, faultAt, form } = useDialogForm({
    // The fields have no seconds, so the end is the next full minute.
    initial: () => ({ from: localOf(fromMs), to: localOf(toMs + minuteMs - 1), reason: '' }),
    faultsOf: ({ from, to, reason }) => ({
      ...(from === '' ? { from: t('validation.required') } : {}),
      ...(to === '' ? { to: t('validation.required') } : from < to ? {} : { to: t('timeRange.invalid') }),
      ...reasonFault(reason, t),
    }),
    save: async ({ from, to, reason }) => {
      const [startMs, endMs] =
        row === null
          ? [dayjs(from).valueOf(), dayjs(to).valueOf()]
          : [Date.parse(row.time), Date.parse(row.time) + 1]
      const { deleted, job } = await client.stateValue.delete({
        id: state.id,
        startDate: new Date(startMs).toISOString(),
        endDate: new Date(endMs).toISOString(),
        reason,
      })
      notifySuccess(t(job === null ? 'history.deleted' : 'history.deletedPartly', { count: deleted }))
      await onDone()
      onClose()
      return undefined
    },
    onMade: onClose,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('history.delete')}>
      {row === null ? (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <DateTimeField
            label={t('timeRange.from')}
            value={values.from}
            onChange={(from) => set({ from })}
            error={faultAt('from')}
          />
          <DateTimeField
            label={t('timeRange.to')}
            value={values.to}
            onChange={(to) => set({ to })}
            error={faultAt('to')}
          />
        </SimpleGrid>
      ) : (
        <Text size="sm">
          {t('history.storedValue', { time: formatTime(row.time), value: stateText(row.value, state) })}
        </Text>
      )}
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
        {t('history.deleteFollows')}
      </Text>
    </DialogForm>
  )
}
