import { Select } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { type RuleDraft, toMetrics } from './draft.ts'

/**
 * The twin on which a draft is tried: its own, or one of those that a rule for many finds.
 * @param twinId the twin of the rule
 * @returns with the field that chooses another one; null: there is no choice
 */
export function useExampleTwin(
  { many, metrics }: RuleDraft,
  { twinId, ready }: { twinId: number | undefined; ready: boolean },
): { chosen: number | undefined; field: ReactNode } {
  const { t } = useTranslation()
  const [example, setExample] = useState<string | null>(null)
  const found = useQuery({
    ...api.ddr.previewTwins.queryOptions({
      input: {
        dtwinId: twinId ?? 0,
        many: many ?? { query: {}, except: [] },
        metrics: toMetrics(metrics),
        limit: 100,
      },
    }),
    enabled: many !== null && twinId !== undefined && ready,
    placeholderData: keepPreviousData,
  })
  const examples = many === null ? [] : (found.data?.items ?? [])
  const known = examples.some(({ dtwinId }) => String(dtwinId) === example)
  const chosen = known ? Number(example) : (examples[0]?.dtwinId ?? twinId)
  const field =
    examples.length > 0 ? (
      <Select
        label={t('rules.many.example')}
        description={t('rules.many.exampleHint')}
        allowDeselect={false}
        searchable
        data={examples.map(({ dtwinId, twinTitle }) => ({ value: String(dtwinId), label: twinTitle }))}
        value={String(chosen)}
        onChange={setExample}
      />
    ) : null
  return { chosen, field }
}
