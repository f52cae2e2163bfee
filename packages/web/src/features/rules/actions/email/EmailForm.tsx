import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { TagsInput, Textarea, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import type { FormProps } from '../types.ts'
import { RecipientStates } from './RecipientStates.tsx'

/** Maximum number of recipients, as in the contract. */
const recipientsMax = 50

export default function EmailForm({ ruleId, action, aliases, faultAt, onChange }: FormProps<EmailAction>) {
  const { t } = useTranslation()
  return (
    <>
      <TagsInput
        label={t('rules.recipients')}
        required
        placeholder={action.recipients.length === 0 ? t('rules.recipientsHint') : ''}
        value={action.recipients}
        maxTags={recipientsMax}
        splitChars={[',', ';', ' ']}
        onChange={(recipients) =>
          onChange({ ...action, recipients: recipients.map((address) => address.trim()).filter(Boolean) })
        }
        error={faultAt('recipients')}
        description={t('rules.recipientsOutside')}
      />
      {ruleId === undefined ? null : <RecipientStates ruleId={ruleId} addresses={action.recipients} />}
      <TextInput
        label={t('rules.subject')}
        required
        value={action.subject}
        maxLength={200}
        onChange={(event) => onChange({ ...action, subject: event.currentTarget.value })}
        error={faultAt('subject')}
      />
      <Textarea
        label={t('rules.body')}
        autosize
        minRows={3}
        maxRows={12}
        value={action.body}
        maxLength={4000}
        onChange={(event) => onChange({ ...action, body: event.currentTarget.value })}
        error={faultAt('body')}
      />
      <PlaceholderHint aliases={aliases} />
    </>
  )
}
