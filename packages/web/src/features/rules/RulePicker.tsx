import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { homeOf } from './home.ts'

interface RulePickerProps {
  label: string
  placeholder?: string
  description?: ReactNode
  required?: boolean
  /** only rules of this account; absent: of all */
  accountId?: number
  value: number | null
  onChange: (ruleId: number | null) => void
  error?: ReactNode
}

const nameOf = (rule: Parameters<typeof homeOf>[0] & { title: string }) =>
  `${homeOf(rule).title} › ${rule.title}`

/** Chooses a rule by its name or that of its twin. */
export function RulePicker({
  accountId,
  value,
  onChange,
  required = false,
  error,
  ...field
}: RulePickerProps) {
  const { t } = useTranslation()
  const { isError } = useQuery({
    ...api.ddr.get.queryOptions({ input: { id: value ?? 0 } }),
    enabled: value !== null,
  })
  return (
    <EntityPicker
      {...field}
      required={required}
      clearable={!required}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      load={async (search) => {
        const accountIds = accountId === undefined ? {} : { accountIds: [accountId] }
        const input = { limit: 20, ...accountIds, ...(search ? { search } : {}) }
        const { items } = await client.ddr.overviewList(input)
        return items.map((rule) => ({ value: String(rule.id), label: nameOf(rule) }))
      }}
      labelOf={async (id) => nameOf(await client.ddr.get({ id: Number(id) }))}
      error={error ?? (isError ? t('rules.triggers.ruleGone') : null)}
    />
  )
}
