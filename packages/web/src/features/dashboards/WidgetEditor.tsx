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
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Range } from '../../lib/range.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { EditorSheet } from '../../ui/forms/EditorSheet.tsx'
import classes from './dashboards.module.css'
import { widths } from './grid.ts'
import { useDefinitionData } from './useData.ts'
import { WidgetBody } from './WidgetBody.tsx'
import { isReady, kindText, widgetFaults, widgetFor } from './widgets/index.ts'
import type { WidgetFrame } from './widgets/types.ts'

interface WidgetEditorProps {
  board: Dashboard
  definition: WidgetDefinition
  isNew: boolean
  range: Range
  parameters: Record<string, string>
  onApply: (definition: WidgetDefinition) => void
  onClose: () => void
}

/** Sheet that configures a widget of the draft, with a preview of what it will show. */
export default function WidgetEditor(props: WidgetEditorProps) {
  const { board, isNew, onApply, onClose } = props
  const { t } = useTranslation()
  const [definition, setDefinition] = useState(props.definition)
  const [tried, setTried] = useState(false)
  const faults = widgetFaults(definition)
  const dirty = JSON.stringify(definition) !== JSON.stringify(props.definition)
  const { Fields, isHeading } = widgetFor(definition)
  const set = (change: Partial<WidgetFrame>) => setDefinition((before) => ({ ...before, ...change }))
  const apply = () => {
    setTried(true)
    if (Object.keys(faults).length > 0) return
    onApply(definition)
    onClose()
  }
  return (
    <EditorSheet
      title={t(kindText(definition))}
      size={620}
      saveLabel={t(isNew ? 'dashboards.addWidget' : 'dashboards.apply')}
      dirty={dirty}
      busy={false}
      failure={undefined}
      onSave={apply}
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
  const ready = isReady(definition)
  const query = useDefinitionData(board.id, definition, range, parameters, ready)
  return (
    <section aria-label={t('dashboards.preview')}>
      <Title order={3} mb={8}>
        {t('dashboards.preview')}
      </Title>
      <div className={classes.preview} style={{ minHeight: Math.min(definition.size.minHeightPx, 320) }}>
        {!ready ? (
          <Text size="sm" c="dimmed">
            {t('dashboards.previewEmpty')}
          </Text>
        ) : query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
        ) : query.shown ? (
          <WidgetBody
            definition={{
              ...definition,
              size: { columns: 6, minHeightPx: Math.min(definition.size.minHeightPx, 360) },
            }}
            data={query.shown.data}
            range={query.shown}
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
