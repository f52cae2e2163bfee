import type { TicketAction } from '@leitstand/contract/rules/actions/ticket'
import { ticketLimits, ticketPriorities, ticketTypes } from '@leitstand/contract/tickets'
import { Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'

export default function TicketForm({ action, aliases, faultAt, onChange }: FormProps<TicketAction>) {
  const { t } = useTranslation()
  return (
    <>
      <div className={classes.entryHead}>
        <TextField
          label={t('tickets.field.subject')}
          required
          value={action.subject}
          maxLength={ticketLimits.subjectMax}
          aliases={aliases}
          error={faultAt('subject')}
          onChange={(subject) => onChange({ ...action, subject })}
        />
        <Select
          label={t('tickets.field.type')}
          w={170}
          allowDeselect={false}
          data={ticketTypes.map((type) => ({ value: type, label: t(`tickets.types.${type}`) }))}
          value={action.type}
          onChange={(type) => type && onChange({ ...action, type: type as TicketAction['type'] })}
        />
        <Select
          label={t('tickets.field.priority')}
          w={150}
          allowDeselect={false}
          data={ticketPriorities.map((priority) => ({
            value: priority,
            label: t(`tickets.priorities.${priority}`),
          }))}
          value={action.priority}
          onChange={(priority) =>
            priority && onChange({ ...action, priority: priority as TicketAction['priority'] })
          }
        />
      </div>
      <TextField
        label={t('tickets.field.comment')}
        multiline
        value={action.comment}
        maxLength={1000}
        aliases={aliases}
        error={faultAt('comment')}
        onChange={(comment) => onChange({ ...action, comment })}
      />
      <Text size="xs" c="dimmed">
        {t('rules.ticketHint')}
      </Text>
      <PlaceholderHint aliases={aliases} />
    </>
  )
}
