import { rectSortingStrategy, SortableContext } from '@dnd-kit/sortable'
import type { Dashboard, Widget, WidgetDefinition } from '@leitstand/contract/dashboards'
import type { WidgetKind } from '@leitstand/contract/dashboards/kinds'
import { ActionIcon, Button, Group, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { useFullscreenElement } from '@mantine/hooks'
import {
  IconLayoutDashboard,
  IconMaximize,
  IconMinimize,
  IconPencil,
  IconPlus,
  IconSettings,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { usePageTitle } from '../../lib/page.ts'
import type { Range } from '../../lib/range.ts'
import { useRecordRecent } from '../../lib/recent.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { FavoriteStar } from '../../ui/display/FavoriteStar.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorBoundary, ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { isMissing, NotFound } from '../../ui/feedback/NotFound.tsx'
import { SortableArea } from '../../ui/page/SortableArea.tsx'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import { widgetUnder } from './collision.ts'
import classes from './dashboards.module.css'
import { Gallery } from './Gallery.tsx'
import { moved } from './grid.ts'
import { dashboardRange, parameterPrefix, parameterValues, rangeSearch } from './settings.ts'
import { useBoardChanges } from './useChanges.ts'
import { useBoardData } from './useData.ts'
import { type WidgetActions, WidgetFrame } from './WidgetFrame.tsx'
import { kindText, newWidget } from './widgets/index.ts'

const WidgetEditor = lazy(() => import('./WidgetEditor.tsx'))
const SettingsDialog = lazy(() => import('./SettingsDialog.tsx'))

type Open =
  | { kind: 'gallery' }
  | { kind: 'settings' }
  | { kind: 'widget'; widget: Widget | null; definition: WidgetDefinition }
  | null

/** Shows and edits a dashboard, `/dashboards/{id}`; `?edit=1` is the edit mode. */
export default function DashboardPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useQuery(api.dashboards.get.queryOptions({ input: { id: Number(id) } }))
  const board = query.data as Dashboard | undefined
  usePageTitle(board?.name)
  useRecordRecent('dashboard', Number(id), board?.name)
  if (query.isError && !board && isMissing(query.error))
    return <NotFound error={query.error} listPath="/dashboards" />
  if (query.isError && !board) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (!board) return <Loading lines={8} />
  return (
    <ErrorBoundary>
      <Board key={board.id} board={board} />
    </ErrorBoundary>
  )
}

function Board({ board }: { board: Dashboard }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const [open, setOpen] = useState<Open>(null)
  const screen = useFullscreenElement<HTMLDivElement>()
  const editing = board.editable && one(search, 'edit') === '1' && !screen.fullscreen
  const fallback = board.settings.defaultDateRange
  const range = dashboardRange(search, fallback)
  const parameters = parameterValues(search, board.settings.customParameters)
  const data = useBoardData(board, range, parameters)
  const changes = useBoardChanges(board)
  const setRange = useCallback(
    (next: Range) => update(rangeSearch(next, fallback), { push: true }),
    [update, fallback],
  )
  const actions = useWidgetActions(changes, (widget) =>
    setOpen({ kind: 'widget', widget, definition: widget.definition }),
  )
  const close = () => setOpen(null)
  const add = (kind: WidgetKind) => setOpen({ kind: 'widget', widget: null, definition: newWidget(kind) })
  return (
    <div ref={screen.ref} className={screen.fullscreen ? classes.fullscreen : undefined}>
      <header className={classes.head}>
        <div>
          <Title order={1}>{board.name}</Title>
          {board.description ? (
            <Text size="sm" c="dimmed" maw={720}>
              {board.description}
            </Text>
          ) : null}
        </div>
        <div className={classes.headTools}>
          <TimeRange value={range} onChange={setRange} />
          {screen.fullscreen ? null : <FavoriteStar type="dashboard" objectId={board.id} />}
          <Tooltip label={t(screen.fullscreen ? 'dashboards.leaveFullscreen' : 'dashboards.fullscreen')}>
            <ActionIcon
              size={34}
              variant="default"
              aria-label={t(screen.fullscreen ? 'dashboards.leaveFullscreen' : 'dashboards.fullscreen')}
              onClick={() => void screen.toggle()}
            >
              <Icon of={screen.fullscreen ? IconMinimize : IconMaximize} />
            </ActionIcon>
          </Tooltip>
          {board.editable && !editing && !screen.fullscreen ? (
            <Button
              variant="default"
              leftSection={<Icon of={IconPencil} />}
              onClick={() => update({ edit: '1' })}
            >
              {t('dashboards.edit')}
            </Button>
          ) : null}
        </div>
      </header>
      {editing ? (
        <EditBar
          onAdd={() => setOpen({ kind: 'gallery' })}
          onSettings={() => setOpen({ kind: 'settings' })}
          onDone={() => update({ edit: undefined })}
        />
      ) : null}
      <Parameters board={board} values={parameters} />
      {data.isError && !data.data ? (
        <ErrorState error={data.error} onRetry={() => void data.refetch()} />
      ) : board.widgets.length === 0 ? (
        <EmptyState
          icon={IconLayoutDashboard}
          title={t('dashboards.noWidgets')}
          text={t(board.editable ? 'dashboards.noWidgetsText' : 'dashboards.noWidgetsReader')}
          action={
            board.editable ? (
              <Button
                leftSection={<Icon of={IconPlus} />}
                onClick={() => {
                  update({ edit: '1' })
                  setOpen({ kind: 'gallery' })
                }}
              >
                {t('dashboards.addWidget')}
              </Button>
            ) : null
          }
        />
      ) : (
        <WidgetGrid
          board={board}
          data={data.data}
          onZoom={setRange}
          onOrder={changes.order}
          actions={editing ? actions : undefined}
        />
      )}
      <Gallery opened={open?.kind === 'gallery'} onClose={close} onChoose={add} />
      <Suspense>
        {open?.kind === 'widget' ? (
          <WidgetEditor
            board={board}
            definition={open.definition}
            isNew={open.widget === null}
            range={range}
            parameters={parameters}
            onSave={(definition) =>
              open.widget ? changes.configure(open.widget.id, definition) : changes.add(definition)
            }
            onClose={close}
          />
        ) : null}
        {open?.kind === 'settings' ? <SettingsDialog board={board} onClose={close} /> : null}
      </Suspense>
    </div>
  )
}

/** Actions of a widget; a stable object, so that widgets do not render again. */
function useWidgetActions(
  changes: ReturnType<typeof useBoardChanges>,
  onEdit: (widget: Widget) => void,
): WidgetActions {
  const edit = useRef(onEdit)
  useEffect(() => {
    edit.current = onEdit
  })
  return useMemo(
    () => ({
      onEdit: (widget) => edit.current(widget),
      onCopy: (widget) => void changes.copy(widget),
      onDelete: (widget) => void changes.remove(widget),
      onResize: (widget, columns) =>
        void changes.configure(widget.id, {
          ...widget.definition,
          size: { ...widget.definition.size, columns },
        }),
    }),
    [changes],
  )
}

function EditBar(props: { onAdd: () => void; onSettings: () => void; onDone: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={classes.editBar}>
      <Text size="sm">{t('dashboards.editing')}</Text>
      <Group gap={8}>
        <Button size="compact-md" leftSection={<Icon of={IconPlus} size={16} />} onClick={props.onAdd}>
          {t('dashboards.addWidget')}
        </Button>
        <Button
          size="compact-md"
          variant="default"
          leftSection={<Icon of={IconSettings} size={16} />}
          onClick={props.onSettings}
        >
          {t('dashboards.settings')}
        </Button>
        <Button size="compact-md" variant="default" onClick={props.onDone}>
          {t('dashboards.done')}
        </Button>
      </Group>
    </div>
  )
}

/** Fields for the dashboard's parameters; their values are in the address. */
function Parameters({ board, values }: { board: Dashboard; values: Record<string, string> }) {
  const { t } = useTranslation()
  const [, update] = useUrlSearch()
  if (board.settings.customParameters.length === 0) return null
  return (
    <Group gap={10} mb="md" role="group" aria-label={t('dashboards.parameters')}>
      {board.settings.customParameters.map(({ name, defaultValue }) => (
        <TextInput
          key={name}
          size="xs"
          label={name}
          placeholder={defaultValue}
          defaultValue={values[name] === defaultValue ? '' : values[name]}
          onBlur={(event) =>
            update({ [`${parameterPrefix}${name}`]: event.currentTarget.value || undefined })
          }
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.currentTarget.blur()
          }}
        />
      ))}
    </Group>
  )
}

interface GridProps {
  board: Dashboard
  data: ReturnType<typeof useBoardData>['data']
  onZoom: (range: Range) => void
  onOrder: (ids: number[]) => Promise<void>
  /** in edit mode */
  actions: WidgetActions | undefined
}

/** The widgets in a grid of twelve columns; below 960 px they stack. */
function WidgetGrid({ board, data, onZoom, onOrder, actions }: GridProps) {
  const { t } = useTranslation()
  const ids = board.widgets.map((widget) => widget.id)
  const byId = new Map(data?.widgets.map((each) => [each.widgetId, each]))
  const nameOf = (id: string | number) => {
    const definition = board.widgets.find((widget) => widget.id === id)?.definition
    return definition ? definition.title || t(kindText(definition)) : ''
  }
  return (
    <SortableArea
      help={t('dashboards.dragHelp')}
      titleOf={nameOf}
      onMove={(from, to) => void onOrder(moved(ids, from, to))}
      collisionDetection={widgetUnder}
    >
      <SortableContext items={ids} strategy={rectSortingStrategy}>
        <div className={classes.grid}>
          {board.widgets.map((widget) => (
            <WidgetFrame
              key={widget.id}
              widget={widget}
              data={byId.get(widget.id)}
              fromMs={data?.fromMs ?? 0}
              toMs={data?.toMs ?? 0}
              onZoom={onZoom}
              actions={actions}
            />
          ))}
        </div>
      </SortableContext>
    </SortableArea>
  )
}
