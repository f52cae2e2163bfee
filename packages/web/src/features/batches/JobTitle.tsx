import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../lib/format.ts'

const lengthMin = 5
const lengthMax = 100

/** Whether this is a valid job title. */
export function titleFits(title: string): boolean {
  const { length } = title.trim()
  return length >= lengthMin && length <= lengthMax
}

/** A title that fits, from what the job does. */
export function proposedTitle(text: string): string {
  return `${text}, ${formatDate(Date.now())}`.slice(-lengthMax)
}

/** Title of a bulk job; shows its error once it was left or the user tries to continue. */
export function JobTitle(props: { value: string; onChange: (title: string) => void; asked: boolean }) {
  const { t } = useTranslation()
  const [left, setLeft] = useState(false)
  const wrong = (props.asked || left) && !titleFits(props.value)
  const hint = t('bulk.jobTitleHint')
  return (
    <TextInput
      label={t('bulk.jobTitle')}
      description={wrong ? undefined : hint}
      required
      maxLength={lengthMax}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      onBlur={() => setLeft(true)}
      error={wrong ? hint : undefined}
    />
  )
}
