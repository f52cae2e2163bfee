import type { EmailAction } from '@leitstand/contract/rules/actions/email'
import { Alert, TagsInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconMailOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useCan, useUser } from '../../../../lib/session.ts'
import { Icon } from '../../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../../ui/page/RouterLink.tsx'
import { PlaceholderHint } from '../PlaceholderHint.tsx'
import { TextField } from '../TextField.tsx'
import type { FormProps } from '../types.ts'
import { RecipientStates } from './RecipientStates.tsx'

/** Maximum number of recipients, as in the contract. */
const recipientsMax = 50
const suggestedMax = 20

export default function EmailForm({
  ruleId,
  accountId,
  action,
  aliases,
  faultAt,
  onChange,
}: FormProps<EmailAction>) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const people = usePeople(accountId, search)
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
        data={people}
        searchValue={search}
        onSearchChange={setSearch}
        onChange={(recipients) =>
          onChange({ ...action, recipients: recipients.map((address) => address.trim()).filter(Boolean) })
        }
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

/** Addresses of the user and of people of the account that match what was typed. */
function usePeople(accountId: number, search: string): string[] {
  const can = useCan()
  const { email } = useUser()
  const [settled] = useDebouncedValue(search.trim(), 200)
  const found = useQuery(
    api.user.list.queryOptions({
      input: {
        accountIds: [accountId],
        active: true,
        limit: suggestedMax,
        ...(settled ? { search: settled } : {}),
      },
      enabled: can('UserManagement', 'read') || can('UserManagement', 'manage'),
      placeholderData: keepPreviousData,
    }),
  )
  return [...new Set([email, ...(found.data?.items.map((user) => user.email) ?? [])].filter(Boolean))]
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
