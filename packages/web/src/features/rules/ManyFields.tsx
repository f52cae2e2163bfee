import { type ManyTwins, type Metric, manyLimits, type TwinQuery } from '@leitstand/contract/rules'
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { EntityMultiPicker } from '../../ui/forms/EntityPicker.tsx'
import { findTwins, nameTwin, TwinQueryFields } from '../twins/index.ts'

/** Twins named in the preview; the others are counted. */
const namedMax = 10
/** More exceptions are changed in the list of twins: each name is read by itself. */
const exceptShown = 50

interface ManyFieldsProps {
  value: ManyTwins | null
  onChange: (many: ManyTwins | null) => void
  /** the twin or device that the rule belongs to */
  objectId: number
  metrics: readonly Metric[]
}

/** The twins a rule runs on: its own, or many that a query finds. */
export default function ManyFields({ value, onChange, objectId, metrics }: ManyFieldsProps) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t('rules.steps.twins')}
        fullWidth
        value={value === null ? 'one' : 'many'}
        data={(['one', 'many'] as const).map((each) => ({ value: each, label: t(`rules.many.by.${each}`) }))}
        onChange={(next) =>
          onChange(next === 'one' ? null : (value ?? { query: { twinId: objectId }, except: [] }))
        }
      />
      {value === null ? null : (
        <>
          <Text size="sm" c="dimmed">
            {t('rules.many.hint')}
          </Text>
          <Suspense>
            <TwinQueryFields
              value={value.query}
              onChange={(query) => onChange({ ...value, query: withoutEmpty(query) })}
            />
          </Suspense>
          {value.except.length > exceptShown ? (
            <Text size="sm">{t('rules.many.exceptMany', { count: value.except.length })}</Text>
          ) : (
            <EntityMultiPicker
              label={t('rules.many.except')}
              description={t('rules.many.exceptHint')}
              value={value.except.map(String)}
              onChange={(ids) =>
                onChange({ ...value, except: ids.map(Number).slice(0, manyLimits.exceptMax) })
              }
              load={findTwins}
              labelOf={nameTwin}
            />
          )}
          <Preview many={value} objectId={objectId} metrics={metrics} />
        </>
      )}
    </Stack>
  )
}

/** Absent instead of empty: a list without items would find the same. */
function withoutEmpty(query: { [K in keyof TwinQuery]: TwinQuery[K] | undefined }): TwinQuery {
  const kept = Object.entries(query).filter(
    ([, part]) => part !== undefined && !(Array.isArray(part) && part.length === 0),
  )
  return Object.fromEntries(kept)
}

function Preview({
  many,
  objectId,
  metrics,
}: { many: ManyTwins } & Pick<ManyFieldsProps, 'objectId' | 'metrics'>) {
  const { t } = useTranslation()
  const [asked] = useDebouncedValue({ many, metrics: [...metrics] }, 300)
  const preview = useQuery({
    ...api.ddr.previewTwins.queryOptions({ input: { dtwinId: objectId, ...asked, limit: namedMax } }),
    placeholderData: keepPreviousData,
  })
  if (preview.isError) return <ErrorText error={preview.error} />
  if (!preview.data) return null
  const { items, total } = preview.data
  const names = items.map(({ twinTitle }) => twinTitle).join(', ')
  const more = total - items.length
  return (
    <Text size="sm" aria-live="polite">
      {t('rules.many.found', { count: total, shown: formatNumber(total, 0) })}
      {names === '' ? '' : ` ${names}`}
      {more > 0 ? ` ${t('rules.many.more', { count: more, shown: formatNumber(more, 0) })}` : ''}
    </Text>
  )
}
