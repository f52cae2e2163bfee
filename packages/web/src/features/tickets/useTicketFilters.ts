import { ticketPriorities, ticketTypes } from '@leitstand/contract/tickets'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListFilter } from '../../ui/list/types.ts'

/** Filters of list and board. */
export function useTicketFilters(): ListFilter[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'state',
        label: t('tickets.field.state'),
        multiple: true,
        options: [0, 1, 2].map((state) => ({ value: String(state), label: t(`tickets.states.${state}`) })),
      },
      {
        key: 'type',
        label: t('tickets.field.type'),
        multiple: true,
        options: ticketTypes.map((type) => ({ value: type, label: t(`tickets.types.${type}`) })),
      },
      {
        key: 'priority',
        label: t('tickets.field.priority'),
        multiple: true,
        options: ticketPriorities.map((priority) => ({
          value: priority,
          label: t(`tickets.priorities.${priority}`),
        })),
      },
      {
        key: 'assigned',
        label: t('tickets.field.assignee'),
        multiple: false,
        options: [
          { value: 'me', label: t('tickets.me') },
          { value: 'anyone', label: t('tickets.anyone') },
          { value: 'nobody', label: t('tickets.nobody') },
        ],
      },
      {
        key: 'due',
        label: t('tickets.due'),
        multiple: false,
        options: [
          { value: 'over', label: t('tickets.overdue') },
          { value: 'notOver', label: t('tickets.notOverdue') },
        ],
      },
    ],
    [t],
  )
}
