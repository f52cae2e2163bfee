import { exportFormats, exportMethods, exportTimeFormats } from '@leitstand/contract/exports'
import { aggregationDurations } from '@leitstand/contract/series'
import {
  Alert,
  Button,
  Fieldset,
  MultiSelect,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Text,
} from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { ColumnList } from './ColumnList.tsx'
import classes from './exports.module.css'
import type { FormValues } from './form.ts'

interface PartProps {
  values: FormValues
  set: (change: Partial<FormValues>) => void
}

export interface FaultyProps extends PartProps {
  faultAt: (name: keyof FormValues & string) => string | null
}

/** Which states, by identifier. */
export function StatesField({
  keys: found,
  values,
  set,
}: PartProps & { keys: readonly { key: string; title: string }[] | undefined }) {
  const { t } = useTranslation()
  const keys = found?.map(({ key, title }) => ({
    value: key,
    label: title === key ? key : `${title} (${key})`,
  }))
  return (
    <MultiSelect
      label={t('exports.states')}
      placeholder={values.stateKeys.length === 0 ? t('exports.allStates') : ''}
      data={keys ?? values.stateKeys}
      searchable
      clearable
      maxValues={100}
      value={values.stateKeys}
      onChange={(stateKeys) => set({ stateKeys })}
    />
  )
}

/** The file: its format, rows, columns. */
export function FormatFields({ values, set, faultAt }: FaultyProps) {
  const { t } = useTranslation()
  return (
    <>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t('exports.format')}
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t('exports.format')}
          data={exportFormats.map((format) => ({ value: format, label: t(`exports.formats.${format}`) }))}
          value={values.format}
          onChange={(format) => set({ format: format as FormValues['format'] })}
        />
      </div>
      <Select
        label={t('exports.layout')}
        allowDeselect={false}
        data={(['long', 'wide'] as const).map((layout) => ({
          value: layout,
          label: t(`exports.layouts.${layout}`),
        }))}
        value={values.layout}
        onChange={(layout) => set({ layout: layout === 'wide' ? 'wide' : 'long' })}
      />
      <Details values={values} set={set} faultAt={faultAt} />
      {values.format === 'xlsx' ? null : (
        <Switch
          label={t('exports.zip')}
          checked={values.zip}
          onChange={(event) => set({ zip: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

/** Columns and format, rarely changed: folded unless opened or invalid. */
function Details({ values, set, faultAt }: FaultyProps) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const isCsv = values.format === 'csv'
  const shown = opened || faultAt('columns') !== null
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={shown}
        rightSection={<Icon of={shown ? IconChevronUp : IconChevronDown} size={14} />}
        onClick={() => setOpened(!opened)}
      >
        {t('exports.details')}
      </Button>
      {shown ? (
        <Stack gap="md" mt="sm">
          <Fieldset legend={t('exports.columns')}>
            <ColumnList
              columns={values.columns[values.layout]}
              onChange={(columns) => set({ columns: { ...values.columns, [values.layout]: columns } })}
            />
            {faultAt('columns') ? (
              <Alert color="red" mt="sm">
                {t('exports.noColumns')}
              </Alert>
            ) : null}
            {values.layout === 'wide' ? (
              <Text size="xs" c="dimmed" mt={8}>
                {t('exports.wideHint')}
              </Text>
            ) : null}
          </Fieldset>
          {isCsv ? <CsvFields values={values} set={set} /> : null}
          {isCsv || values.format === 'xlsx' ? (
            <Switch
              label={t('exports.header')}
              checked={values.header}
              onChange={(event) => set({ header: event.currentTarget.checked })}
            />
          ) : null}
        </Stack>
      ) : null}
    </div>
  )
}

/** Which values: as measured, by interval, or what a meter showed. */
export function ValuesFields({ values, set }: PartProps) {
  const { t } = useTranslation()
  const durations = aggregationDurations.map((each) => ({
    value: each,
    label: t(`exports.durations.${each}`),
  }))
  return (
    <>
      <Select
        label={t('exports.kind')}
        allowDeselect={false}
        data={(['raw', 'interval', 'reading'] as const).map((kind) => ({
          value: kind,
          label: t(`exports.kinds.${kind}`),
        }))}
        value={values.kind}
        onChange={(kind) => set({ kind: kind as FormValues['kind'] })}
      />
      {values.kind === 'raw' ? null : (
        <div className={classes.two}>
          {values.kind === 'interval' ? (
            <Select
              label={t('exports.method')}
              allowDeselect={false}
              data={exportMethods.map((method) => ({ value: method, label: t(`exports.methods.${method}`) }))}
              value={values.method}
              onChange={(method) => set({ method: method as FormValues['method'] })}
            />
          ) : null}
          <Select
            label={t(values.kind === 'interval' ? 'exports.duration' : 'exports.cutOff')}
            allowDeselect={false}
            data={durations}
            value={values.duration}
            onChange={(duration) => set({ duration: duration as FormValues['duration'] })}
          />
        </div>
      )}
    </>
  )
}

/** Times that say more than the name of their format. */
const examples = { local: '2026-11-23 14:03:09', german: '23.11.2026 14:03:09' } as const

function CsvFields({ values, set }: PartProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.two}>
      <Select
        label={t('exports.separator')}
        allowDeselect={false}
        data={[
          { value: '', label: t('exports.asLanguage') },
          { value: ';', label: t('exports.separators.semicolon') },
          { value: ',', label: t('exports.separators.comma') },
          { value: '\t', label: t('exports.separators.tab') },
        ]}
        value={values.separator}
        onChange={(separator) => set({ separator: separator as FormValues['separator'] })}
      />
      <Select
        label={t('exports.decimal')}
        allowDeselect={false}
        data={[
          { value: '', label: t('exports.asLanguage') },
          { value: ',', label: t('exports.separators.comma') },
          { value: '.', label: t('exports.separators.point') },
        ]}
        value={values.decimal}
        onChange={(decimal) => set({ decimal: decimal as FormValues['decimal'] })}
      />
      <Select
        label={t('exports.timeFormat')}
        allowDeselect={false}
        data={exportTimeFormats.map((each) => ({
          value: each,
          label:
            each in examples ? examples[each as keyof typeof examples] : t(`exports.timeFormats.${each}`),
        }))}
        value={values.timeFormat}
        onChange={(timeFormat) => set({ timeFormat: timeFormat as FormValues['timeFormat'] })}
      />
    </div>
  )
}
