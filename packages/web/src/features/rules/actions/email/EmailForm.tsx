import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { Alert } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useCan } from '../../../../lib/session.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'
import { RecipientStates } from './RecipientStates.tsx'
import { RecipientsField } from './RecipientsField.tsx'

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
      <RecipientsField
        accountId={accountId}
        max={recipientsMax}
        value={action.recipients}
        onChange={(recipients) => onChange({ ...action, recipients })}
        error={faultAt('recipients')}
        description={t('rules.recipientsOutside')}
      />
      {ruleId === undefined ? null : <RecipientStates ruleId={ruleId} addresses={action.recipients} />}
      <TextField
        label={t('rules.subject')}
        required
        value={action.subject}
        maxLength={200}
        aliases={aliases}
        error={faultAt('subject')}
        onChange={(subject) => onChange({ ...action, subject })}
      />
      <TextField
        label={t('rules.body')}
        multiline
        value={action.body}
        maxLength={4000}
        aliases={aliases}
        error={faultAt('body')}
        onChange={(body) => onChange({ ...action, body })}
      />
      <PlaceholderHint aliases={aliases} />
    </>
  )
}

/** Says that no mail of the rule would be sent, and leads those who can change it to the mail server. */
export function NoMailServer({ accountId }: { accountId: number }) {
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
