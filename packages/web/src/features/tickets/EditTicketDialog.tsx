import type { Ticket } from '@leitstand/contract/tickets'
import { ticketLimits, ticketPriorities, ticketTypes } from '@leitstand/contract/tickets'
import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DateField } from '../../ui/forms/DateField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { loadPlaces } from './places.ts'
import { placeText } from './pure.ts'
import { inputOf, useRereadTickets } from './useTicket.ts'

interface Props {
  ticket: Ticket
  onClose: () => void
}

/** What a ticket is about, how urgent it is, and until when. */
export function EditTicketDialog({ ticket, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('tickets.editTitle', { number: ticket.number })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <EditForm ticket={ticket} onClose={onClose} />
    </FormModal>
  )
}

function EditForm({ ticket, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useRereadTickets()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ ...inputOf(ticket), twinId: ticket.twin.id as number | null }),
    faultsOf: ({ subject, twinId }) => ({
      ...(subject.trim() === '' ? { subject: t('validation.required') } : {}),
      ...(twinId === null ? { twinId: t('validation.required') } : {}),
    }),
    save: async ({ twinId, ...input }) => {
      if (twinId === null) return undefined
      await client.isFmTicket.update({ ...input, twinId, subject: input.subject.trim() })
      await refresh(ticket.id)
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('common.save')}>
      <TextInput
        data-autofocus
        label={t('tickets.field.subject')}
        required
        maxLength={ticketLimits.subjectMax}
        value={values.subject}
        onChange={(event) => set({ subject: event.currentTarget.value })}
        error={faultAt('subject')}
      />
      <EntityPicker
        label={t('tickets.field.place')}
        required
        value={values.twinId === null ? null : String(values.twinId)}
        load={loadPlaces}
        labelOf={async () => placeText(ticket.twin)}
        onChange={(id) => set({ twinId: id === null ? null : Number(id) })}
        error={faultAt('twinId')}
      />
      <Select
        label={t('tickets.field.type')}
        allowDeselect={false}
        data={ticketTypes.map((type) => ({ value: type, label: t(`tickets.types.${type}`) }))}
        value={values.type}
        onChange={(type) => type && set({ type: type as Ticket['type'] })}
      />
      <Select
        label={t('tickets.field.priority')}
        allowDeselect={false}
        data={ticketPriorities.map((priority) => ({
          value: priority,
          label: t(`tickets.priorities.${priority}`),
        }))}
        value={values.priority}
        onChange={(priority) => priority && set({ priority: priority as Ticket['priority'] })}
      />
      <DateField
        label={t('tickets.field.dueAt')}
        value={values.dueAt ?? ''}
        onChange={(day) => set({ dueAt: day === '' ? null : day })}
      />
    </DialogForm>
  )
}
