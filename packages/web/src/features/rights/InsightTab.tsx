import { type InsightKind, insightKinds } from '@leitstand/contract/insight'
import { SegmentedControl, Select, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Section } from '../../ui/page/Section.tsx'
import type { AccountProps } from '../accounts/index.ts'
import { InsightPanel } from './InsightPanel.tsx'

const shownMax = 50
const searchDelayMs = 200

/** What a user, an API key or an application of an account may do; the choice is in the address. */
export default function InsightTab({ account }: AccountProps) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const of = insightKinds.find((kind) => kind === one(search, 'of')) ?? 'user'
  const id = Number.parseInt(one(search, 'who') ?? '', 10)
  return (
    <Stack gap="md">
      <Section title={t('users.insight.title')} description={t('users.insight.intro')}>
        <Stack gap="sm">
          <SegmentedControl
            aria-label={t('users.insight.kindLabel')}
            data={insightKinds.map((value) => ({ value, label: t(`users.insight.kind.${value}`) }))}
            value={of}
            onChange={(value) => update({ of: value, who: undefined })}
            style={{ alignSelf: 'start' }}
          />
          <HolderSelect
            key={of}
            of={of}
            accountId={account.id}
            value={Number.isNaN(id) ? null : String(id)}
            onChange={(who) => update({ who: who ?? undefined }, { push: true })}
          />
        </Stack>
      </Section>
      {Number.isNaN(id) ? null : <InsightPanel key={`${of}-${id}`} of={of} id={id} accountId={account.id} />}
    </Stack>
  )
}

interface HolderSelectProps {
  of: InsightKind
  accountId: number
  value: string | null
  onChange: (id: string | null) => void
}

/** Searches on the server as somebody types. */
function HolderSelect({ of, accountId, value, onChange }: HolderSelectProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [typed] = useDebouncedValue(text, searchDelayMs)
  const { choices, error } = useHolders(of, accountId, typed)
  // Who was named by the address may be of another account, or further down the list.
  const isListed = value === null || choices.some((choice) => choice.value === value)
  const named = useQuery(
    api.user.get.queryOptions({ input: { id: Number(value) }, enabled: of === 'user' && !isListed }),
  )
  if (error) return <ErrorText error={error} />
  const known =
    named.data === undefined || isListed ? [] : [{ value: String(named.data.id), label: nameOf(named.data) }]
  const data = [...known, ...choices]
  return (
    <Select
      label={t(`users.insight.kind.${of}`)}
      placeholder={t('users.insight.choose')}
      data={data}
      value={data.some((choice) => choice.value === value) ? value : null}
      onChange={onChange}
      onSearchChange={setText}
      // The server has searched already.
      filter={({ options }) => options}
      searchable
      clearable
      maw={480}
      nothingFoundMessage={t('common.nothingFound')}
    />
  )
}

function useHolders(of: InsightKind, accountId: number, text: string) {
  const search = text.trim() === '' ? {} : { search: text.trim() }
  const input = { ...search, accountIds: [accountId], limit: shownMax }
  const users = useQuery(
    api.user.list.queryOptions({ input, enabled: of === 'user', placeholderData: keepPreviousData }),
  )
  const keys = useQuery(
    api.apikey.list.queryOptions({ input, enabled: of === 'apiKey', placeholderData: keepPreviousData }),
  )
  const applications = useQuery(
    api.application.list.queryOptions({
      input,
      enabled: of === 'application',
      placeholderData: keepPreviousData,
    }),
  )
  const choice = (id: number, label: string) => ({ value: String(id), label })
  switch (of) {
    case 'user':
      return {
        choices: (users.data?.items ?? []).map((user) => choice(user.id, nameOf(user))),
        error: users.error,
      }
    case 'apiKey':
      return {
        // Public links have no role.
        choices: (keys.data?.items ?? [])
          .filter(({ shows }) => shows === null)
          .map((key) => choice(key.id, `${key.title} (${key.prefix}…)`)),
        error: keys.error,
      }
    case 'application':
      return {
        choices: (applications.data?.items ?? []).map(({ id, title }) => choice(id, title)),
        error: applications.error,
      }
  }
}

function nameOf(user: { firstName: string; lastName: string; username: string }): string {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ')
  return name === '' ? user.username : `${name} (${user.username})`
}
