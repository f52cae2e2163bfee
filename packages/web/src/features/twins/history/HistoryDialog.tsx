import type { AggregationMethod } from '@leitstand/contract/series'
import type { State } from '@leitstand/contract/states'
import { Checkbox, Group, Modal, Select, Tabs, Text, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconHistoryOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useLive } from '../../../lib/live.ts'
import { type Range, rangeEnds, readRange } from '../../../lib/range.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Chart } from '../../../ui/chart/Chart.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { TimeRange } from '../../../ui/page/TimeRange.tsx'
import { HistoryTable } from './HistoryTable.tsx'
import classes from './history.module.css'
import {
  defaultView,
  effectiveInterval,
  type HistoryReply,
  type HistoryView,
  historySeries,
  type Interval,
  intervals,
  methods,
  tooFine,
} from './query.ts'
import { thresholdsOf } from './thresholds.ts'
import { rangeInAddress } from './useHistoryAddress.ts'

export type HistoryState = Pick<
  State,
  'id' | 'twinId' | 'title' | 'unit' | 'valueType' | 'decimals' | 'visualization'
>

interface HistoryDialogProps {
  state: HistoryState
  /** the twin or device the state belongs to */
  objectTitle: string
  /** values can be corrected and deleted */
  editable?: boolean
  onClose: () => void
}

/** History of one state: chart with intervals and overlays, table of the raw values, CSV. */
export function HistoryDialog({ state, objectTitle, editable = false, onClose }: HistoryDialogProps) {
  const { t } = useTranslation()
  const small = useMediaQuery('(max-width: 599.98px)', false, { getInitialValueInEffect: false })
  const [search, update] = useUrlSearch()
  const range = readRange(search, '24h')
  const [openedAtMs, setOpenedAtMs] = useState(() => Date.now())
  const ends = rangeEnds(range, openedAtMs)
  // A range that follows the present is reloaded when new values arrive, at most every ten seconds.
  useLive(`twin:${state.twinId}`, (message) => {
    if (message.kind !== 'values' || !('preset' in range)) return
    if (!message.values.some((value) => value.stateId === state.id)) return
    const nowMs = Date.now()
    if (nowMs - openedAtMs > 10_000) setOpenedAtMs(nowMs)
  })
  const change = (next: Range) => {
    setOpenedAtMs(Date.now())
    update(rangeInAddress(next))
  }
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      fullScreen={small}
      title={
        <>
          {state.title}
          <Text span size="sm" c="dimmed" fw={400} ml={8}>
            {objectTitle}
          </Text>
        </>
      }
    >
      <Tabs
        value={one(search, 'show') === 'table' ? 'table' : 'chart'}
        onChange={(shown) => update({ show: shown === 'table' ? 'table' : undefined })}
        keepMounted={false}
      >
        <div className={classes.head}>
          <Tabs.List className={classes.tabs ?? ''}>
            <Tabs.Tab value="chart">{t('history.chart')}</Tabs.Tab>
            <Tabs.Tab value="table">{t('history.table')}</Tabs.Tab>
          </Tabs.List>
          <TimeRange value={range} onChange={change} />
        </div>
        <Tabs.Panel value="chart">
          <HistoryChart state={state} objectTitle={objectTitle} {...ends} onZoom={change} />
        </Tabs.Panel>
        <Tabs.Panel value="table">
          <HistoryTable
            state={state}
            objectTitle={objectTitle}
            editable={editable}
            {...ends}
            onChanged={() => setOpenedAtMs(Date.now())}
          />
        </Tabs.Panel>
      </Tabs>
    </Modal>
  )
}

interface PartProps {
  state: HistoryState
  objectTitle: string
  fromMs: number
  toMs: number
}

/** The series of a view: values by interval, the last raw ones, or raw ones downsampled by the server. */
function useHistory(state: HistoryState, view: HistoryView, fromMs: number, toMs: number) {
  const interval = state.valueType === 'number' && !view.raw ? effectiveInterval(view, toMs - fromMs) : null
  const asRaw = !view.raw && interval === null
  const ends = { startDate: new Date(fromMs).toISOString(), endDate: new Date(toMs).toISOString() }
  const raw = useQuery({
    ...api.series.search.queryOptions({ input: { stateIds: [state.id], ...ends } }),
    enabled: asRaw,
    placeholderData: keepPreviousData,
  })
  const aggregated = useQuery({
    ...api.series.searchAggregated.queryOptions({
      input: {
        stateIds: [state.id],
        ...ends,
        method: view.method,
        duration: interval ?? '1h',
        min: view.overlayMin,
        max: view.overlayMax,
        rawData: view.raw,
      },
    }),
    enabled: !asRaw,
    placeholderData: keepPreviousData,
  })
  const query = asRaw ? raw : aggregated
  const reply: HistoryReply | undefined = query.data?.series[0]
  return { interval, reply, error: query.error, retry: () => void query.refetch() }
}

function HistoryChart({
  state,
  objectTitle,
  fromMs,
  toMs,
  onZoom,
}: PartProps & { onZoom: (range: Range) => void }) {
  const { t } = useTranslation()
  const [view, setView] = useState(defaultView)
  const { interval, reply, error, retry } = useHistory(state, view, fromMs, toMs)
  return (
    <>
      {reply ? (
        <Curve
          state={state}
          objectTitle={objectTitle}
          view={view}
          reply={reply}
          name={interval === null ? state.title : t(`series.methods.${view.method}`)}
          range={view.raw ? undefined : { fromMs, toMs }}
          onZoom={onZoom}
        />
      ) : error ? (
        <ErrorState error={error} onRetry={retry} compact />
      ) : (
        <Loading lines={8} />
      )}
      {state.valueType === 'number' ? (
        <Controls view={view} onChange={setView} lengthMs={toMs - fromMs} interval={interval} />
      ) : null}
      {reply?.truncated ? (
        <Text size="xs" c="dimmed" mt={6}>
          {t('history.thinned')}
        </Text>
      ) : null}
    </>
  )
}

function Curve(props: {
  state: HistoryState
  objectTitle: string
  view: HistoryView
  reply: HistoryReply
  name: string
  range: { fromMs: number; toMs: number } | undefined
  onZoom: (range: Range) => void
}) {
  const { state, view, reply } = props
  const { t } = useTranslation()
  const names = {
    main: props.name,
    min: t('series.methods.min'),
    max: t('series.methods.max'),
    unit: state.unit,
    step: state.valueType !== 'number',
  }
  const file = { decimals: state.decimals, timeZone: reply.timeZone, object: props.objectTitle }
  const series = historySeries(reply, names, view.hideEmpty || view.raw).map((each) => ({ ...each, ...file }))
  if (series.every((each) => each.points.every(([, value]) => value === null)))
    return (
      <EmptyState icon={IconHistoryOff} title={t('history.empty')} text={t('history.emptyText')} compact />
    )
  if (state.valueType === 'text' || state.valueType === 'json')
    return <EmptyState title={t('history.noChart')} text={t('history.noChartText')} compact />
  return (
    <Chart
      kind="line"
      title={state.title}
      series={series}
      smooth={view.smooth}
      range={props.range}
      thresholds={thresholdsOf(state, t)}
      decimals={state.decimals}
      height="340px"
      onZoom={props.onZoom}
    />
  )
}

interface ControlsProps {
  view: HistoryView
  onChange: (view: HistoryView) => void
  lengthMs: number
  /** the requested interval; null: raw values */
  interval: string | null
}

function Controls({ view, onChange, lengthMs, interval }: ControlsProps) {
  const { t } = useTranslation()
  const set = (change: Partial<HistoryView>) => onChange({ ...view, ...change })
  const aggregated = !view.raw && interval !== null
  return (
    <div className={classes.controls}>
      <Select
        label={t('history.interval')}
        w={250}
        allowDeselect={false}
        disabled={view.raw}
        data={[
          {
            value: 'auto',
            label: t('history.auto', {
              interval: t(interval === null ? 'history.rawShort' : `series.intervals.${interval}`),
            }),
          },
          ...intervals.map((each) => ({
            value: each,
            label: t(`series.intervals.${each}`),
            disabled: tooFine(each, lengthMs),
          })),
        ]}
        value={view.interval}
        onChange={(next) => set({ interval: (next ?? 'auto') as Interval })}
      />
      <Select
        label={t('history.method')}
        w={170}
        allowDeselect={false}
        disabled={!aggregated}
        data={methods.map((method) => ({ value: method, label: t(`series.methods.${method}`) }))}
        value={view.method}
        onChange={(next) => set({ method: (next ?? 'avg') as AggregationMethod })}
      />
      <Group gap="md" className={classes.checks ?? ''}>
        <Checkbox
          label={t('series.methods.min')}
          checked={view.overlayMin}
          disabled={!aggregated}
          onChange={(event) => set({ overlayMin: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('series.methods.max')}
          checked={view.overlayMax}
          disabled={!aggregated}
          onChange={(event) => set({ overlayMax: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('history.smooth')}
          checked={view.smooth}
          onChange={(event) => set({ smooth: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('history.hideEmpty')}
          checked={view.hideEmpty}
          disabled={view.raw}
          onChange={(event) => set({ hideEmpty: event.currentTarget.checked })}
        />
        <Tooltip label={t('history.rawHint')}>
          <Checkbox
            label={t('history.raw')}
            checked={view.raw}
            onChange={(event) => set({ raw: event.currentTarget.checked })}
          />
        </Tooltip>
      </Group>
    </div>
  )
}
