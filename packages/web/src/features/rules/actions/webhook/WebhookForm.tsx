import { type WebhookAction, webhookFormats } from '@leitstand/contract/rules/actions/webhook'
import { Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from '../../rules.module.css'
import { ConnectorField } from '../ConnectorField.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import { jsonExample } from '../texts.ts'
import type { FormProps } from '../types.ts'
import type { WebhookDraft } from './index.ts'

export default function WebhookForm({
  accountId,
  action,
  aliases,
  faultAt,
  onChange,
}: FormProps<WebhookDraft>) {
  const { t } = useTranslation()
  const choose = (format: WebhookAction['format']) =>
    onChange({
      ...action,
      format,
      text: format === 'json' && action.text === '' ? jsonExample(aliases) : action.text,
    })
  return (
    <>
      <div className={classes.entryHead}>
        <ConnectorField
          accountId={accountId}
          capability="outgoing"
          value={action.connectorId}
          onChange={(connectorId) => onChange({ ...action, connectorId })}
          error={faultAt('connectorId')}
        />
        <Select
          label={t('rules.content')}
          allowDeselect={false}
          data={webhookFormats.map((format) => ({ value: format, label: t(`rules.formats.${format}`) }))}
          value={action.format}
          onChange={(format) => choose((format ?? 'standard') as WebhookAction['format'])}
        />
      </div>
      {action.format === 'standard' ? (
        <Text size="xs" c="dimmed">
          {t('rules.standardHint')}
        </Text>
      ) : (
        <>
          <TextField
            label={t('rules.body')}
            description={action.format === 'json' ? t('rules.jsonHint') : ''}
            required
            multiline
            mono
            value={action.text}
            maxLength={4000}
            aliases={aliases}
            error={faultAt('text')}
            onChange={(text) => onChange({ ...action, text })}
          />
          <PlaceholderHint aliases={aliases} />
        </>
      )}
    </>
  )
}
