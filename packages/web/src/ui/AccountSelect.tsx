import { Select } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccounts } from './AccountFilter.tsx'
import { accountTree, choicesMax } from './account-tree.ts'

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
  const tree = useMemo(() => accountTree(data?.items ?? []), [data])
  const depths = new Map(tree.map(({ account, depth }) => [String(account.id), depth]))
  return (
    <Select
      {...field}
      searchable
      limit={choicesMax}
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
