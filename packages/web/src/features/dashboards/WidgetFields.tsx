import type { ChartOptions, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { AggregationDuration, AggregationMethod } from '@leitstand/contract/series'
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { EntityMultiPicker, EntityPicker } from '../../ui/EntityPicker.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { findTwins, nameTwin, StateMultiPicker } from '../twins/index.ts'
import classes from './dashboards.module.css'

/** Bounds of the contract. */
const limits = { chartStates: 20, tiles: 24, thresholds: 10, twins: 200, columns: 20 } as const

const methods: readonly AggregationMethod[] = ['avg', 'min', 'max', 'sum', 'median', 'count', 'latest']
const durations: readonly AggregationDuration[] = ['5m', '15m', '1h', '6h', '1d', '1w', '1mo']
const gaugeValues = ['latest', 'average', 'min', 'max', 'sum', 'earliest'] as const

interface FieldsProps {
  definition: WidgetDefinition
  onChange: (definition: WidgetDefinition) => void
  /** the twin of the dashboard: its states come first, its children are the default of tables and maps */
  boardTwinId: number | null
  faultAt: (field: string) => string | null
}

/** The fields of a widget that belong to its type. */
export function WidgetFields(props: FieldsProps) {
  const { definition } = props
  const { t } = useTranslation()
  switch (definition.type) {
    case 'chart':
      return <ChartFields {...props} />
    case 'value':
      return <TileFields {...props} />
    case 'twin-table':
      return <TableFields {...props} />
    case 'twin-map':
      return <MapFields {...props} />
    case 'empty':
      return (
        <Text size="sm" c="dimmed">
          {t('dashboards.emptyHint')}
        </Text>
      )
    case 'nested-dashboard':
      return (
        <Text size="sm" c="dimmed">
          {t('dashboards.unknownWidgetText')}
        </Text>
      )
  }
}

const emptyChart: ChartOptions = {
  kind: 'line',
  stateIds: [],
  method: 'avg',
  smooth: false,
  area: false,
  thresholds: [],
  gaugeValue: 'latest',
}

function ChartFields({ definition, onChange, boardTwinId, faultAt }: FieldsProps) {
  const { t } = useTranslation()
  const options = definition.chartOptions ?? emptyChart
  const set = (change: Partial<ChartOptions>) =>
    onChange({ ...definition, chartOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <StateMultiPicker
        label={t('dashboards.states')}
        required
        placeholder={t('states.searchState')}
        value={options.stateIds}
        onChange={(stateIds) => set({ stateIds })}
        max={limits.chartStates}
        valueTypes={['number', 'boolean']}
        error={faultAt('stateIds')}
        {...(boardTwinId === null ? {} : { preferObjectId: boardTwinId })}
      />
      {options.kind === 'gauge' ? (
        <GaugeFields options={options} set={set} faultAt={faultAt} />
      ) : (
        <TimeFields options={options} set={set} />
      )}
    </>
  )
}

interface OptionFields {
  options: ChartOptions
  set: (change: Partial<ChartOptions>) => void
}

function TimeFields({ options, set }: OptionFields) {
  const { t } = useTranslation()
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('history.interval')}
          allowDeselect={false}
          data={[
            { value: 'auto', label: t('dashboards.automatic') },
            { value: 'raw', label: t('dashboards.raw') },
            ...durations.map((duration) => ({ value: duration, label: t(`series.intervals.${duration}`) })),
          ]}
          value={options.duration ?? 'auto'}
          onChange={(duration) =>
            set({
              duration: duration === 'auto' || duration === null ? undefined : (duration as 'raw'),
            } as Partial<ChartOptions>)
          }
        />
        <Select
          label={t('history.method')}
          allowDeselect={false}
          disabled={options.duration === 'raw'}
          data={methods.map((method) => ({ value: method, label: t(`series.methods.${method}`) }))}
          value={options.method}
          onChange={(method) => set({ method: (method ?? 'avg') as AggregationMethod })}
        />
      </SimpleGrid>
      {options.kind === 'line' ? (
        <Group gap="lg">
          <Checkbox
            label={t('history.smooth')}
            checked={options.smooth}
            onChange={(event) => set({ smooth: event.currentTarget.checked })}
          />
          <Checkbox
            label={t('dashboards.area')}
            checked={options.area}
            onChange={(event) => set({ area: event.currentTarget.checked })}
          />
        </Group>
      ) : null}
      <Thresholds options={options} set={set} />
    </>
  )
}

function Thresholds({ options, set }: OptionFields) {
  const { t } = useTranslation()
  const replace = (at: number, change: { value?: number; label?: string }) =>
    set({
      thresholds: options.thresholds.map((each, index) => (index === at ? { ...each, ...change } : each)),
    })
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {t('dashboards.thresholds')}
      </Text>
      <Stack gap={6}>
        {[...options.thresholds.entries()].map(([index, threshold]) => (
          <div key={`threshold-${index}`} className={classes.threshold}>
            <NumberInput
              aria-label={t('dashboards.thresholdValue')}
              value={threshold.value}
              onChange={(value) => replace(index, { value: Number(value) || 0 })}
              decimalSeparator={t('common.decimal')}
              allowedDecimalSeparators={[',', '.']}
              hideControls
            />
            <TextInput
              aria-label={t('dashboards.thresholdLabel')}
              placeholder={t('dashboards.thresholdLabel')}
              value={threshold.label}
              maxLength={50}
              onChange={(event) => replace(index, { label: event.currentTarget.value })}
            />
            <ActionIcon
              aria-label={t('dashboards.removeThreshold')}
              onClick={() => set({ thresholds: options.thresholds.filter((_, at) => at !== index) })}
            >
              <Icon of={IconX} size={16} />
            </ActionIcon>
          </div>
        ))}
        {options.thresholds.length < limits.thresholds ? (
          <Button
            variant="subtle"
            size="compact-sm"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<Icon of={IconPlus} size={14} />}
            onClick={() => set({ thresholds: [...options.thresholds, { value: 0, label: '' }] })}
          >
            {t('dashboards.addThreshold')}
          </Button>
        ) : null}
      </Stack>
    </div>
  )
}

function GaugeFields({ options, set, faultAt }: OptionFields & Pick<FieldsProps, 'faultAt'>) {
  const { t } = useTranslation()
  const field = (name: 'min' | 'max' | 'lowerThreshold' | 'upperThreshold') => (
    <NumberInput
      key={name}
      label={t(`dashboards.gauge.${name}`)}
      value={options[name] ?? ''}
      onChange={(value) => set({ [name]: value === '' ? undefined : Number(value) } as Partial<ChartOptions>)}
      decimalSeparator={t('common.decimal')}
      allowedDecimalSeparators={[',', '.']}
      error={faultAt(name)}
    />
  )
  return (
    <>
      <Select
        label={t('dashboards.gaugeValue')}
        description={t('dashboards.gaugeValueHint')}
        allowDeselect={false}
        data={gaugeValues.map((value) => ({ value, label: t(`dashboards.gaugeValues.${value}`) }))}
        value={options.gaugeValue}
        onChange={(value) => set({ gaugeValue: (value ?? 'latest') as ChartOptions['gaugeValue'] })}
      />
      <SimpleGrid cols={2}>
        {(['min', 'max', 'lowerThreshold', 'upperThreshold'] as const).map(field)}
      </SimpleGrid>
    </>
  )
}

function TileFields({ definition, onChange, boardTwinId, faultAt }: FieldsProps) {
  const { t } = useTranslation()
  const options = definition.valueOptions ?? { stateIds: [], sparkline: true }
  return (
    <>
      <StateMultiPicker
        label={t('dashboards.states')}
        required
        placeholder={t('states.searchState')}
        value={options.stateIds}
        onChange={(stateIds) => onChange({ ...definition, valueOptions: { ...options, stateIds } })}
        max={limits.tiles}
        error={faultAt('stateIds')}
        {...(boardTwinId === null ? {} : { preferObjectId: boardTwinId })}
      />
      <Checkbox
        label={t('dashboards.sparkline')}
        checked={options.sparkline}
        onChange={(event) =>
          onChange({ ...definition, valueOptions: { ...options, sparkline: event.currentTarget.checked } })
        }
      />
    </>
  )
}

interface Selection {
  parentTwinId?: number | undefined
  twinIds: number[]
}

/** Which twins a table or map shows: those below one, or named ones. */
function TwinSelection(props: {
  value: Selection
  onChange: (value: Selection) => void
  hasBoardTwin: boolean
}) {
  const { value, onChange, hasBoardTwin } = props
  const { t } = useTranslation()
  return (
    <>
      <EntityPicker
        label={t('dashboards.below')}
        description={t(hasBoardTwin ? 'dashboards.belowBoard' : 'dashboards.belowHint')}
        placeholder={t(hasBoardTwin ? 'dashboards.boardTwin' : 'dashboards.allTwins')}
        value={value.parentTwinId === undefined ? null : String(value.parentTwinId)}
        onChange={(id) => onChange({ ...value, parentTwinId: id === null ? undefined : Number(id) })}
        load={findTwins}
        labelOf={nameTwin}
      />
      <EntityMultiPicker
        label={t('dashboards.named')}
        value={value.twinIds.map(String)}
        onChange={(ids) => onChange({ ...value, twinIds: ids.slice(0, limits.twins).map(Number) })}
        load={findTwins}
        labelOf={nameTwin}
      />
    </>
  )
}

function TableFields({ definition, onChange, boardTwinId }: FieldsProps) {
  const { t } = useTranslation()
  const options = definition.twinTableOptions ?? { twinIds: [], tags: [], stateKeys: [], limit: 20 }
  const set = (change: Partial<typeof options>) =>
    onChange({ ...definition, twinTableOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <TwinSelection
        value={options}
        onChange={(selection) => set(selection as Partial<typeof options>)}
        hasBoardTwin={boardTwinId !== null}
      />
      <TagsInput
        label={t('dashboards.withTags')}
        value={options.tags}
        maxTags={limits.columns}
        onChange={(tags) => set({ tags })}
      />
      <TagsInput
        label={t('dashboards.stateKeys')}
        description={t('dashboards.stateKeysHint')}
        value={options.stateKeys}
        maxTags={limits.columns}
        onChange={(stateKeys) => set({ stateKeys })}
      />
      <NumberInput
        label={t('dashboards.rows')}
        w={160}
        min={1}
        max={100}
        allowDecimal={false}
        value={options.limit}
        onChange={(limit) => set({ limit: Math.min(100, Math.max(1, Number(limit) || 20)) })}
      />
    </>
  )
}

function MapFields({ definition, onChange, boardTwinId }: FieldsProps) {
  const { t } = useTranslation()
  const options = definition.twinMapOptions ?? { twinIds: [] }
  const set = (change: Partial<typeof options>) =>
    onChange({ ...definition, twinMapOptions: withoutUndefined({ ...options, ...change }) })
  return (
    <>
      <TwinSelection
        value={options}
        onChange={(selection) => set(selection as Partial<typeof options>)}
        hasBoardTwin={boardTwinId !== null}
      />
      <TextInput
        label={t('dashboards.mapKey')}
        description={t('dashboards.mapKeyHint')}
        value={options.stateKey ?? ''}
        maxLength={100}
        onChange={(event) =>
          set({ stateKey: event.currentTarget.value.trim() || undefined } as Partial<typeof options>)
        }
      />
    </>
  )
}

/** Options without entries that were emptied: exact optional properties are absent, not undefined. */
function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}
