import type { Dashboard, Widget, WidgetDefinition } from '@leitstand/contract/dashboards'
import { ActionIcon, Button, Group, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { useFullscreenElement } from '@mantine/hooks'
import { IconLayoutDashboard, IconMaximize, IconMinimize, IconPencil, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
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
import { useUnsavedGuard } from '../../ui/forms/useLeave.tsx'
import { SlotParts } from '../../ui/page/SlotParts.tsx'
import { TimeRange } from '../../ui/page/TimeRange.tsx'
import classes from './dashboards.module.css'
import { EditBar } from './EditBar.tsx'
import { Gallery } from './Gallery.tsx'
import { PdfButton } from './PdfButton.tsx'
import { dashboardRange, parameterPrefix, parameterValues, rangeSearch } from './settings.ts'
import { boardActions } from './slots.ts'
import { useBoardData } from './useData.ts'
import { type DraftOfBoard, useDraft } from './useDraft.ts'
import type { WidgetActions } from './WidgetFrame.tsx'
import { WidgetGrid } from './WidgetGrid.tsx'
import { newWidget, statesOf } from './widgets/index.ts'

const WidgetEditor = onDemand(() => import('./WidgetEditor.tsx'))
const SettingsDialog = onDemand(() => import('./SettingsDialog.tsx'))

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

function Board({ board: stored }: { board: Dashboard }) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const [open, setOpen] = useState<Open>(null)
  const [stateIds, setStateIds] = useState<readonly number[]>([])
  const screen = useFullscreenElement<HTMLDivElement>()
  const editing = stored.editable && one(search, 'edit') === '1' && !screen.fullscreen
  const draft = useDraft(stored, editing)
  const board = draft.shown
  const fallback = board.settings.defaultDateRange
  const range = dashboardRange(search, fallback)
  const parameters = parameterValues(search, board.settings.customParameters)
  const data = useBoardData(stored, range, parameters)
  const guard = useUnsavedGuard(draft.changed && !draft.busy)
  const setRange = useCallback(
    (next: Range) => update(rangeSearch(next, fallback), { push: true }),
    [update, fallback],
  )
  const actions = useWidgetActions(draft, (widget) =>
    setOpen({ kind: 'widget', widget, definition: widget.definition }),
  )
  const close = () => setOpen(null)
  const openGallery = () => setOpen({ kind: 'gallery' })
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
          {editing || screen.fullscreen ? null : <PdfButton board={stored} range={range} />}
          {editing || screen.fullscreen ? null : <SlotParts slot={boardActions} props={{ board: stored }} />}
          {stored.editable && !editing && !screen.fullscreen ? (
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
          draft={draft}
          onAdd={openGallery}
          onSettings={() => setOpen({ kind: 'settings' })}
          onDone={() => update({ edit: undefined })}
        />
      ) : null}
      <Parameters board={board} values={parameters} />
      {data.isError && !data.data ? (
        <ErrorState error={data.error} onRetry={() => void data.refetch()} />
      ) : board.widgets.length === 0 ? (
        <NoWidgets
          editable={stored.editable}
          onAdd={() => {
            update({ edit: '1' })
            openGallery()
          }}
        />
      ) : (
        <WidgetGrid
          board={board}
          data={data.data}
          ownData={draft.ownData}
          range={range}
          parameters={parameters}
          onZoom={setRange}
          onMove={draft.move}
          actions={editing ? actions : undefined}
        />
      )}
      <Gallery
        opened={open?.kind === 'gallery'}
        onClose={close}
        onChoose={(kind) => setOpen({ kind: 'widget', widget: null, definition: newWidget(kind, stateIds) })}
      />
      <Suspense>
        {open?.kind === 'widget' ? (
          <WidgetEditor
            board={board}
            definition={open.definition}
            isNew={open.widget === null}
            range={range}
            parameters={parameters}
            onApply={(definition) => {
              const chosen = statesOf(definition)
              if (chosen.length > 0) setStateIds(chosen)
              if (open.widget) draft.configure(open.widget.id, definition)
              else draft.add(definition)
            }}
            onClose={close}
          />
        ) : null}
        {open?.kind === 'settings' ? (
          <SettingsDialog board={board} onApply={draft.set} onDelete={() => draft.forget()} onClose={close} />
        ) : null}
      </Suspense>
      {guard}
    </div>
  )
}

/** Actions of a widget; a stable object, so that widgets do not render again. */
function useWidgetActions(
  draft: Pick<DraftOfBoard, 'copy' | 'remove' | 'configure'>,
  onEdit: (widget: Widget) => void,
): WidgetActions {
  const edit = useRef(onEdit)
  useEffect(() => {
    edit.current = onEdit
  })
  const { copy, remove, configure } = draft
  return useMemo(
    () => ({
      onEdit: (widget) => edit.current(widget),
      onCopy: copy,
      onDelete: remove,
      onResize: ({ id, definition }, columns) =>
        configure(id, { ...definition, size: { ...definition.size, columns } }),
    }),
    [copy, remove, configure],
  )
}

function NoWidgets({ editable, onAdd }: { editable: boolean; onAdd: () => void }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon={IconLayoutDashboard}
      title={t('dashboards.noWidgets')}
      text={t(editable ? 'dashboards.noWidgetsText' : 'dashboards.noWidgetsReader')}
      action={
        editable ? (
          <Button leftSection={<Icon of={IconPlus} />} onClick={onAdd}>
            {t('dashboards.addWidget')}
          </Button>
        ) : null
      }
    />
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
