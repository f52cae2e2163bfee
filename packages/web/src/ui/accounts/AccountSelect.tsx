import { Select } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useAccounts } from './AccountFilter.tsx'
import { accountTree, choicesMax, withoutBranch } from './accountTree.ts'

interface AccountSelectProps {
  label: string
  /** Id as a string; null if nothing is selected. */
  value: string | null
  onChange: (id: string | null) => void
  onBlur?: () => void
  error?: ReactNode
  description?: ReactNode
  /** shown if nothing is selected */
  placeholder?: string
  required?: boolean
  disabled?: boolean
  /** an account to exclude, with all below it */
  without?: number
}

/** Picker for one account, listed as a tree. */
export function AccountSelect({ onChange, without, ...field }: AccountSelectProps) {
  const { t } = useTranslation()
  const { data } = useAccounts()
  const tree = useMemo(() => {
    const all = accountTree(data?.items ?? [])
    return without === undefined ? all : withoutBranch(all, without)
  }, [data, without])
  const depths = new Map(tree.map(({ account, depth }) => [String(account.id), depth]))
  return (
    <Select
      {...field}
      searchable
      limit={choicesMax}
      allowDeselect={!field.required}
      data={tree.map(({ account }) => ({ value: String(account.id), label: account.name }))}
      onChange={onChange}
      nothingFoundMessage={t('common.nothingFound')}
      renderOption={({ option }) => (
        <span style={{ paddingLeft: (depths.get(option.value) ?? 0) * 16 }}>{option.label}</span>
      )}
    />
  )
}
