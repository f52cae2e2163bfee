import type { InsightKind } from '@leitstand/contract/insight'
import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { ExplainTable } from './ExplainTable.tsx'
import { InsightQuestion } from './InsightQuestion.tsx'
import { InsightTree } from './InsightTree.tsx'
import { useScopeChoices, useScopes } from './queries.ts'

/** Whose rights are shown. */
export interface Whose {
  of: InsightKind
  id: number
}

interface InsightPanelProps extends Whose {
  /** the account whose scope is shown first */
  accountId: number
}

/** What somebody may do: a question, the scopes as a tree, and each permission in one of them with the reason. */
export function InsightPanel({ of, id, accountId }: InsightPanelProps) {
  const { t } = useTranslation()
  const scopes = useScopes()
  const paths = useScopeChoices()
  const [chosen, setChosen] = useState<number | null>(null)
  const items = scopes.data?.items ?? []
  const own = items.find((scope) => scope.accountId === accountId && scope.twinId === null)
  const scopeId = chosen ?? own?.id ?? items[0]?.id
  const found = useQuery(
    api.insight.explain.queryOptions({
      input: { of, id, scopeId: scopeId ?? 0 },
      enabled: scopeId !== undefined,
    }),
  )
  if (scopes.error) return <ErrorText error={scopes.error} />
  if (scopeId === undefined) return <Loading lines={6} />
  const place = paths.find(({ value }) => value === String(scopeId))?.label ?? ''
  return (
    <Stack gap="md">
      <Section title={t('users.insight.question')} description={t(`users.insight.hint.${of}`)}>
        <InsightQuestion of={of} id={id} scopeId={scopeId} onScope={setChosen} />
      </Section>
      <Section title={t('users.insight.where')} description={t('users.insight.whereHint')}>
        <InsightTree of={of} id={id} chosen={scopeId} onChoose={setChosen} />
      </Section>
      <Section title={t('users.insight.in', { scope: place })} description={t('users.explain.hint')}>
        {found.isError ? (
          <ErrorText error={found.error} />
        ) : found.data ? (
          <ExplainTable items={found.data.items} />
        ) : (
          <Loading lines={6} />
        )}
      </Section>
    </Stack>
  )
}
