import { TagsInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import { useCan, useUser } from '../../../../lib/session.ts'

const suggestedMax = 20

interface RecipientsFieldProps {
  accountId: number
  value: string[]
  max: number
  onChange: (recipients: string[]) => void
  error?: string | null
  description?: string
}

/** E-mail addresses; people of the account are suggested. */
export function RecipientsField({
  accountId,
  value,
  max,
  onChange,
  error,
  description,
}: RecipientsFieldProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const people = usePeople(accountId, search)
  return (
    <TagsInput
      label={t('rules.recipients')}
      required
      placeholder={value.length === 0 ? t('rules.recipientsHint') : ''}
      value={value}
      maxTags={max}
      splitChars={[',', ';', ' ']}
      data={people}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(recipients) => onChange(recipients.map((address) => address.trim()).filter(Boolean))}
      error={error}
      description={description}
    />
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
