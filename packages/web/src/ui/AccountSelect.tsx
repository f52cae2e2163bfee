import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { accountTree, useAccounts } from './AccountFilter.tsx'

interface AccountSelectProps {
  label: string
  /** Id as text; null while nothing is chosen. */
  value: string | null
  onChange: (id: string | null) => void
  onBlur?: () => void
  error?: ReactNode
  description?: ReactNode
  required?: boolean
  disabled?: boolean
}

/** Choice of one account, listed as the tree they form. */
export function AccountSelect({ onChange, ...field }: AccountSelectProps) {
  const { t } = useTranslation()
  const { data } = useAccounts()
  const tree = accountTree(data?.items ?? [])
  const depths = new Map(tree.map(({ account, depth }) => [String(account.id), depth]))
  return (
    <Select
      {...field}
      searchable
      allowDeselect={!field.required}
      data={tree.map(({ account }) => ({ value: String(account.id), label: account.name }))}
      onChange={onChange}
      nothingFoundMessage={t('list.nothingMatches')}
      renderOption={({ option }) => (
        <span style={{ paddingLeft: (depths.get(option.value) ?? 0) * 16 }}>{option.label}</span>
      )}
    />
  )
}
