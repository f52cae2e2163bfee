import { ExportFrequency } from '@leitstand/contract/exportSchedules'
import { NumberInput, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { TimeField } from '../../ui/forms/TimeField.tsx'
import { FormatFields, periods, StatesField, ValuesFields } from '../exports/index.ts'
import classes from './exportSchedules.module.css'
import { frequencyText, momentText, namesOf } from './texts.ts'
import { frequencyOf, type Values } from './values.ts'

export interface StepProps {
  values: Values
  set: (change: Partial<Values>) => void
  /** the fault of a field that is to be shown, by its path in the input */
  faultAt: (path: string) => string | null
  /** the schedule that is copied */
  copyOf: number | undefined
}

const zones = Intl.supportedValuesOf('timeZone')
const everyUnit = ['hour', 'day', 'week', 'month', 'year'] as const
const settledMs = 300

/** In which zone, how often, and which period. */
export function WhenStep({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  const { timeZone, every, range } = values
  return (
    <Stack gap="md" maw={560}>
      <Select
        label={t('exportSchedules.timeZone')}
        description={t('exportSchedules.timeZoneHint')}
        data={zones.includes(timeZone) ? ['UTC', ...zones] : [timeZone, 'UTC', ...zones]}
        searchable
        allowDeselect={false}
        value={timeZone}
        onChange={(zone) => zone !== null && set({ timeZone: zone })}
        error={faultAt('timeZone')}
        nothingFoundMessage={t('common.nothingFound')}
      />
      <Select
        label={t('exportSchedules.howOften')}
        data={everyUnit.map((unit) => ({ value: unit, label: t(`exportSchedules.every.${unit}`) }))}
        allowDeselect={false}
        value={every}
        onChange={(unit) => set({ every: unit as Values['every'] })}
      />
      <FrequencyFields values={values} set={set} faultAt={faultAt} />
      <Select
        label={t('exportSchedules.period')}
        data={periods.map((each) => ({ value: each, label: t(`exports.periods.${each}`) }))}
        allowDeselect={false}
        value={range}
        onChange={(period) => period !== null && set({ range: period })}
        error={faultAt('range')}
      />
      <Example values={values} />
    </Stack>
  )
}

function FrequencyFields({ values, set, faultAt }: Omit<StepProps, 'copyOf'>) {
  const { t } = useTranslation()
  const { every, minute, time, weekday, day, month } = values
  const days = Array.from({ length: every === 'year' ? 31 : 28 }, (_, index) => String(index + 1))
  if (every === 'hour')
    return (
      <NumberInput
        label={t('exportSchedules.minute')}
        min={0}
        max={59}
        allowDecimal={false}
        maw={200}
        value={minute}
        onChange={(value) => set({ minute: value })}
        error={faultAt('frequency.minute')}
      />
    )
  return (
    <div className={classes.two}>
      {every === 'week' ? (
        <Select
          label={t('exportSchedules.weekday')}
          data={namesOf('weekday').map((name, index) => ({ value: String(index + 1), label: name }))}
          allowDeselect={false}
          value={String(weekday)}
          onChange={(value) => set({ weekday: Number(value) })}
        />
      ) : null}
      {every === 'year' ? (
        <Select
          label={t('exportSchedules.month')}
          data={namesOf('month').map((name, index) => ({ value: String(index + 1), label: name }))}
          allowDeselect={false}
          value={String(month)}
          onChange={(value) => set({ month: Number(value) })}
        />
      ) : null}
      {every === 'month' || every === 'year' ? (
        <Select
          label={t('exportSchedules.day')}
          data={[
            ...days.map((each) => ({ value: each, label: t('exportSchedules.dayOf', { day: each }) })),
            ...(every === 'month' ? [{ value: 'last', label: t('exportSchedules.lastDay') }] : []),
          ]}
          allowDeselect={false}
          value={day}
          onChange={(value) => set({ day: value ?? '1' })}
          error={faultAt('frequency.day')}
        />
      ) : null}
      <TimeField label={t('exportSchedules.time')} value={time} onChange={(value) => set({ time: value })} />
    </div>
  )
}

/** When it runs next and what it would then have in it. */
function Example({ values }: { values: Values }) {
  const { t } = useTranslation()
  const { range, timeZone } = values
  const frequency = ExportFrequency.safeParse(frequencyOf(values)).data
  const [which, unit] = range.split(' ') as ['last' | 'current', 'day']
  const [asked] = useDebouncedValue(
    JSON.stringify({ frequency, range: { which, unit }, timeZone }),
    settledMs,
  )
  const query = useQuery({
    ...api.exportSchedules.preview.queryOptions({ input: JSON.parse(asked) }),
    enabled: frequency !== undefined && 'frequency' in JSON.parse(asked),
    placeholderData: keepPreviousData,
  })
  const [next] = query.data ?? []
  if (!next) return null
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {t('exportSchedules.example', {
        time: momentText(next.at, timeZone),
        from: momentText(next.start, timeZone),
        to: momentText(next.end, timeZone),
      })}
    </Text>
  )
}

/** Which states, and which of their values. */
export function ValuesStep({ values, set }: StepProps) {
  const { selection, file } = values
  const found = useQuery(api.exporting.preview.queryOptions({ input: { selection } }))
  const setFile = (change: Partial<Values['file']>) => set({ file: { ...file, ...change } })
  return (
    <Stack gap="md" maw={560}>
      <StatesField keys={found.data?.keys} values={file} set={setFile} />
      <ValuesFields values={file} set={setFile} />
    </Stack>
  )
}

/** How the file looks, and what will happen. */
export function FileStep({ values, set, faultAt }: StepProps) {
  const { t } = useTranslation()
  const { file } = values
  const isBoard = values.dashboardId !== null
  const frequency = ExportFrequency.safeParse(frequencyOf(values)).data
  return (
    <Stack gap="md" maw={640}>
      {isBoard ? (
        <Text size="sm">{t('exportSchedules.pdfHint')}</Text>
      ) : (
        <FormatFields
          values={file}
          set={(change) => set({ file: { ...file, ...change } })}
          faultAt={(name) => faultAt(`content.formatting.${name}`)}
        />
      )}
      <Stack gap={6}>
        <Fact label={t('exportSchedules.what')}>
          {`${t(`exportSchedules.of.${isBoard ? 'dashboard' : values.selection.of}`)} · ${t(`exports.periods.${values.range}`)}`}
        </Fact>
        <Fact label={t('exportSchedules.howOften')}>
          {frequency ? `${frequencyText(t, frequency)} (${values.timeZone})` : ''}
        </Fact>
        <Fact label={t('exportSchedules.steps.where')}>
          {values.targets.map(({ kind }) => t(`exportSchedules.targetKinds.${kind}`)).join(', ')}
        </Fact>
      </Stack>
      <Example values={values} />
      <Text size="sm" c="dimmed">
        {t('exportSchedules.rightsHint')}
      </Text>
    </Stack>
  )
}
