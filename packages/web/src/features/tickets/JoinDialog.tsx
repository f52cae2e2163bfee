import type { Ticket } from '@leitstand/contract/tickets'
import { NumberInput, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { useRereadTickets } from './useTicket.ts'

interface Props {
  ticket: Ticket
  onClose: () => void
}

/** Joins a ticket with another one that reports the same. */
export function JoinDialog({ ticket, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('tickets.joinTitle', { number: ticket.number })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <JoinForm ticket={ticket} onClose={onClose} />
    </FormModal>
  )
}

function JoinForm({ ticket, onClose }: Props) {
  const { t } = useTranslation()
  const refresh = useRereadTickets()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ number: null as number | null }),
    faultsOf: ({ number }) => (number === null ? { number: t('validation.required') } : {}),
    save: async ({ number }) => {
      if (number === null) return undefined
      await client.isFmTicket.join({ id: ticket.id, number })
      await refresh(ticket.id)
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('tickets.joinSave')}>
      <Text size="sm">{t('tickets.joinText')}</Text>
      <NumberInput
        data-autofocus
        label={t('tickets.joinNumber')}
        required
        prefix="#"
        min={1}
        max={2_000_000_000}
        allowDecimal={false}
        hideControls
        value={values.number ?? ''}
        onChange={(number) => set({ number: typeof number === 'number' ? number : null })}
        error={faultAt('number')}
      />
    </DialogForm>
  )
}
