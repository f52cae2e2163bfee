import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { Alert, TagsInput, Textarea, TextInput } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useCan } from '../../../../lib/session.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import type { FormProps } from '../types.ts'
import { RecipientStates } from './RecipientStates.tsx'

/** Maximum number of recipients, as in the contract. */
const recipientsMax = 50

export default function EmailForm({
  ruleId,
  accountId,
  action,
  aliases,
  faultAt,
  onChange,
}: FormProps<EmailAction>) {
  const { t } = useTranslation()
  return (
    <>
      <NoMailServer accountId={accountId} />
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

/** Says that no mail of the rule would be sent, and leads those who can change it to the mail server. */
function NoMailServer({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const can = useCan()
  const delivery = useQuery(
    api.ddr.mailDelivery.queryOptions({ input: { accountId }, enabled: can('DigitalTwin', 'write') }),
  )
  if (delivery.data?.hasServer !== false) return null
  return (
    <Alert color="yellow" icon={<Icon of={IconMailOff} />} title={t('rules.noMailServer')}>
      {t('rules.noMailServerText')}{' '}
      {can('all', 'manage') ? (
        <RouterLink to={`/account-mgmt/${accountId}?tab=mail`}>{t('rules.setUpMailServer')}</RouterLink>
      ) : null}
    </Alert>
  )
}
