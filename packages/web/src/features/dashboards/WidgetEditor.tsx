import type { Dashboard, WidgetDefinition } from '@leitstand/contract/dashboards'
import {
  Checkbox,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Skeleton,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { type Range, rangeEnds } from '../../lib/range.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { EditorSheet } from '../../ui/forms/EditorSheet.tsx'
import classes from './dashboards.module.css'
import { widths } from './grid.ts'
import { WidgetBody } from './WidgetBody.tsx'
import { isReady, kindText, widgetFaults, widgetFor } from './widgets/index.ts'
import type { WidgetFrame } from './widgets/types.ts'

interface WidgetEditorProps {
  board: Dashboard
  definition: WidgetDefinition
  isNew: boolean
  range: Range
  parameters: Record<string, string>
  onSave: (definition: WidgetDefinition) => Promise<void>
  onClose: () => void
}

/** Sheet that configures a widget, with a preview of what it will show. */
export default function WidgetEditor(props: WidgetEditorProps) {
  const { board, isNew, onSave, onClose } = props
  const { t } = useTranslation()
  const [definition, setDefinition] = useState(props.definition)
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const faults = widgetFaults(definition)
  const dirty = JSON.stringify(definition) !== JSON.stringify(props.definition)
  const { Fields, isHeading } = widgetFor(definition)
  const set = (change: Partial<WidgetFrame>) => setDefinition((before) => ({ ...before, ...change }))
  const save = async () => {
    setTried(true)
    if (Object.keys(faults).length > 0) return
    setBusy(true)
    setFailure(undefined)
    try {
      await onSave(definition)
      onClose()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <EditorSheet
      title={t(kindText(definition))}
      size={620}
      saveLabel={t(isNew ? 'dashboards.addWidget' : 'common.save')}
      dirty={dirty}
      busy={busy}
      failure={failure}
      onSave={() => void save()}
      onClose={onClose}
    >
      <TextInput
        label={t('dashboards.widgetTitle')}
        data-autofocus
        value={definition.title}
        maxLength={200}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <Suspense
        fallback={
          <Loading>
            <Skeleton height={200} />
          </Loading>
        }
      >
        <Fields
          definition={definition}
          onChange={setDefinition}
          boardTwinId={board.parentDtwinId}
          faultAt={(field) => {
            const fault = faults[field]
            return fault !== undefined && (tried || field !== 'stateIds')
              ? t(`dashboards.faults.${fault}`)
              : null
          }}
        />
      </Suspense>
      <Title order={3}>{t('dashboards.look')}</Title>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('dashboards.width')}
          allowDeselect={false}
          data={widths.map((columns) => ({
            value: String(columns),
            label: t('dashboards.columns', { columns }),
          }))}
          value={String(definition.size.columns)}
          onChange={(columns) => set({ size: { ...definition.size, columns: Number(columns ?? 6) } })}
        />
        <NumberInput
          label={t('dashboards.height')}
          min={80}
          max={1200}
          step={20}
          allowDecimal={false}
          value={definition.size.minHeightPx}
          onChange={(height) =>
            set({
              size: {
                ...definition.size,
                minHeightPx: Math.min(1200, Math.max(80, Math.round(Number(height) || 280))),
              },
            })
          }
          clampBehavior="blur"
        />
      </SimpleGrid>
      <Group gap="lg">
        <Checkbox
          label={t('dashboards.hideHeader')}
          checked={definition.hideHeader}
          onChange={(event) => set({ hideHeader: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('dashboards.floatHeader')}
          checked={definition.floatHeader}
          onChange={(event) => set({ floatHeader: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('dashboards.borderless')}
          checked={definition.borderless}
          onChange={(event) => set({ borderless: event.currentTarget.checked })}
        />
      </Group>
      {isHeading ? null : <Preview {...props} definition={definition} />}
    </EditorSheet>
  )
}

/** A preview with real data of the dashboard's time range. */
function Preview({ board, definition, range, parameters }: WidgetEditorProps) {
  const { t } = useTranslation()
  // Title and frame do not affect the data.
  const { title: _t, hideHeader: _h, floatHeader: _f, borderless: _b, size: _s, ...content } = definition
  const [asked] = useDebouncedValue(JSON.stringify(content), 350)
  const query = useQuery({
    queryKey: ['widget-preview', board.id, asked, range, parameters],
    enabled: isReady(definition),
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const ends = rangeEnds(range, Date.now())
      const data = await client.dashboards.dataByDefinition({
        id: board.id,
        widgetDefinition: JSON.parse(asked) as WidgetDefinition,
        dateRange: { start: new Date(ends.fromMs).toISOString(), end: new Date(ends.toMs).toISOString() },
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        customParameters: parameters,
      })
      return { data, ...ends }
    },
  })
  const matching = query.data && asked.includes(`"type":"${definition.type}"`)
  return (
    <section aria-label={t('dashboards.preview')}>
      <Title order={3} mb={8}>
        {t('dashboards.preview')}
      </Title>
      <div className={classes.preview} style={{ minHeight: Math.min(definition.size.minHeightPx, 320) }}>
        {!isReady(definition) ? (
          <Text size="sm" c="dimmed">
            {t('dashboards.previewEmpty')}
          </Text>
        ) : query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
        ) : matching && query.data ? (
          <WidgetBody
            definition={{
              ...definition,
              size: { columns: 6, minHeightPx: Math.min(definition.size.minHeightPx, 360) },
            }}
            data={query.data.data as never}
            range={query.data}
          />
        ) : (
          <Loading>
            <Skeleton height={200} />
          </Loading>
        )}
      </div>
    </section>
  )
}
