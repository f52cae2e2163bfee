import type { SystemFigure } from '@leitstand/contract/states'
import { Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../../lib/api.ts'
import { formatTime } from '../../../../../lib/format.ts'
import { ErrorText } from '../../../../../ui/feedback/ErrorText.tsx'
import { stateText } from '../../text.ts'

interface FigureNowProps {
  twinId: number
  figure: SystemFigure
  unit: string
}

/** The value that a state with this figure would have now. */
export function FigureNow({ twinId, figure, unit }: FigureNowProps) {
  const { t } = useTranslation()
  const { data, error } = useQuery({
    ...api.systemFigure.value.queryOptions({ input: { id: twinId, figure } }),
    placeholderData: keepPreviousData,
  })
  if (error) return <ErrorText error={error} />
  if (!data) return null
  const { value } = data
  const text =
    figure === 'lastSeen' && typeof value === 'string' ? formatTime(value) : stateText(value, { unit })
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {t('states.seriesPreview', { value: text })}
    </Text>
  )
}
