import { TagsInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyUndo } from '../feedback/notifyUndo.ts'

interface TagInputProps {
  label: string
  value: readonly string[]
  onChange: (tags: string[]) => void
  /** Existing tags, suggested while typing. */
  suggestions?: readonly string[]
  description?: ReactNode
  error?: ReactNode
  disabled?: boolean
  /** Maximum tags; default 50 as in the contract. */
  max?: number
}

/** Free tags with suggestions; Enter or comma adds, duplicates are rejected. */
export function TagInput({ value, onChange, suggestions = [], max = 50, ...field }: TagInputProps) {
  const { t } = useTranslation()
  return (
    <TagsInput
      {...field}
      data={[...suggestions]}
      value={[...value]}
      onChange={(tags) => {
        const next = tags.map((tag) => tag.trim()).filter(Boolean)
        const gone = value.filter((tag) => !next.includes(tag))
        onChange(next)
        if (gone.length > 0)
          notifyUndo(t('tags.removed', { title: gone.join(', ') }), () => onChange([...value]))
      }}
      maxTags={max}
      placeholder={value.length === 0 ? t('tags.hint') : ''}
      clearable
      error={field.error ?? (value.length >= max ? t('tags.tooMany', { count: max }) : null)}
    />
  )
}
