import { subjects } from '@leitstand/contract/permissions'
import { Select, Stack, Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { choicesMax } from '../../ui/accounts/accountTree.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { groupsOf, reasonText } from './explain.ts'
import { type Explanation, useScopeChoices, useScopes } from './queries.ts'

/** A user's permissions in a scope, with the rule and role that decide each. */
export function ExplainPanel({ userId, accountId }: { userId: number; accountId: number }) {
  const { t } = useTranslation()
  const scopes = useScopes()
  const choices = useScopeChoices()
  const [chosen, setChosen] = useState<string | null>(null)
  const items = scopes.data?.items ?? []
  const own = items.find((scope) => scope.accountId === accountId && scope.twinId === null)
  const scopeId = chosen === null ? (own?.id ?? items[0]?.id) : Number(chosen)
  const found = useQuery(
    api.user.explainAccess.queryOptions({
      input: { userId, scopeId: scopeId ?? 0 },
      enabled: scopeId !== undefined,
    }),
  )
  return (
    <Stack gap="sm">
      <Select
        label={t('users.explain.where')}
        data={choices}
        limit={choicesMax}
        value={scopeId === undefined ? null : String(scopeId)}
        onChange={setChosen}
        allowDeselect={false}
        searchable
        maw={480}
        nothingFoundMessage={t('common.nothingFound')}
      />
      {found.isError ? <ErrorText error={found.error} /> : null}
      {found.data ? <Answers items={found.data.items} /> : found.isError ? null : <Loading lines={6} />}
    </Stack>
  )
}

function Answers({ items }: { items: readonly Explanation[] }) {
  const { t } = useTranslation()
  return (
    <SimpleTable
      label={t('users.explain.title')}
      rows={subjects.flatMap((subject) =>
        groupsOf(items.filter((item) => item.subject === subject)).map((group, index) => ({
          subject,
          group,
          isFirst: index === 0,
        })),
      )}
      rowKey={({ subject, group }) => `${subject}-${group.key}`}
      spacing={6}
      columns={[
        {
          key: 'what',
          title: t('users.explain.what'),
          render: ({ subject, isFirst }) => (
            // A card of its own names what it is about; in the table the row above does.
            <Text span size="sm" fw={550} {...(isFirst ? {} : { hiddenFrom: 'xs' })}>
              {t(`permissions.subjects.${subject.replace('.', '_')}`)}
            </Text>
          ),
        },
        {
          key: 'may',
          title: t('users.explain.may'),
          render: ({ group }) => (
            <Text span size="sm" c={group.allowed ? 'var(--health-ok)' : 'dimmed'}>
              <Icon of={group.allowed ? IconCheck : IconX} size={14} />{' '}
              {group.actions.map((action) => t(`permissions.actions.${action}`)).join(', ')}
            </Text>
          ),
        },
        {
          key: 'why',
          title: t('users.explain.why'),
          render: ({ group }) => (
            <Text span size="sm" c="dimmed">
              {reasonText(t, group.item)}
            </Text>
          ),
        },
      ]}
    />
  )
}
