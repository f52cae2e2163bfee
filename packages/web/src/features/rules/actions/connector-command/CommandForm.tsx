import { Select } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import { ConnectorField } from '../ConnectorField.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'
import type { CommandDraft } from './index.ts'

export default function CommandForm({
  accountId,
  action,
  aliases,
  faultAt,
  onChange,
}: FormProps<CommandDraft>) {
  const { t } = useTranslation()
  return (
    <>
      <div className={classes.entryHead}>
        <ConnectorField
          accountId={accountId}
          capability="commands"
          value={action.connectorId}
          onChange={(connectorId) => onChange({ ...action, connectorId })}
          error={faultAt('connectorId')}
        />
        <Select
          label={t('rules.content')}
          allowDeselect={false}
          data={(['json', 'text'] as const).map((format) => ({
            value: format,
            label: t(`rules.formats.${format}`),
          }))}
          value={action.format}
          onChange={(format) => onChange({ ...action, format: format === 'text' ? 'text' : 'json' })}
        />
      </div>
      <TextField
        label={t('rules.topic')}
        description={t('rules.topicHint')}
        required
        mono
        value={action.topic}
        maxLength={300}
        aliases={aliases}
        error={faultAt('topic')}
        onChange={(topic) => onChange({ ...action, topic })}
      />
      <TextField
        label={t('rules.payload')}
        description={action.format === 'json' ? t('rules.jsonHint') : ''}
        multiline
        mono
        value={action.payload}
        maxLength={4000}
        aliases={aliases}
        error={faultAt('payload')}
        onChange={(payload) => onChange({ ...action, payload })}
      />
      <PlaceholderHint aliases={aliases} />
    </>
  )
}
