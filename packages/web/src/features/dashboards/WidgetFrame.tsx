import { useSortable } from '@dnd-kit/sortable'
import type { Widget, WidgetData } from '@leitstand/contract/dashboards'
import { ActionIcon, Menu, Skeleton, Title, Tooltip } from '@mantine/core'
import { IconArrowsMove, IconColumns, IconCopy, IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { type CSSProperties, memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Range } from '../../lib/range.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorBoundary, ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import classes from './dashboards.module.css'
import { widths } from './grid.ts'
import { useDefinitionData } from './useData.ts'
import { WidgetBody } from './WidgetBody.tsx'
import { isReady, kindText, widgetFor } from './widgets/index.ts'

export interface WidgetActions {
  onEdit: (widget: Widget) => void
  onCopy: (widget: Widget) => void
  onDelete: (widget: Widget) => void
  onResize: (widget: Widget, columns: number) => void
}

interface WidgetFrameProps {
  widget: Widget
  /** absent while it loads */
  data: WidgetData | undefined
  fromMs: number
  toMs: number
  onZoom: (range: Range) => void
  /** in edit mode */
  actions?: WidgetActions | undefined
  /** set if the data are read by the definition, see `ownDataIds` */
  draft?: DraftRequest | undefined
}

export interface DraftRequest {
  boardId: number
  range: Range
  parameters: Record<string, string>
}

/** A widget with its header; renders again only if its own data changes. Draggable in edit mode. */
export const WidgetFrame = memo(function WidgetFrame(props: WidgetFrameProps) {
  const { widget, data, fromMs, toMs, onZoom, actions, draft } = props
  const { definition } = widget
  const { t } = useTranslation()
  const sortable = useSortable({ id: widget.id, disabled: actions === undefined })
  const shift = sortable.transform
  const style: CSSProperties & Record<'--columns', number> = {
    '--columns': definition.size.columns,
    minHeight: definition.size.minHeightPx,
    transform: shift ? `translate3d(${Math.round(shift.x)}px, ${Math.round(shift.y)}px, 0)` : undefined,
    transition: sortable.transition,
  }
  const title = definition.title || t(kindText(definition))
  const withHeader = definition.title !== '' && !definition.hideHeader
  return (
    <section
      ref={sortable.setNodeRef}
      className={classes.widget}
      style={style}
      aria-label={title}
      data-borderless={definition.borderless || undefined}
      data-editing={actions ? true : undefined}
      data-dragging={sortable.isDragging || undefined}
      data-heading={(widgetFor(definition).isHeading && withHeader) || undefined}
    >
      {withHeader || actions ? (
        <header className={classes.widgetHead} data-float={definition.floatHeader || undefined}>
          {actions ? (
            <button
              type="button"
              className={classes.handle}
              aria-label={t('dashboards.drag', { title })}
              {...sortable.attributes}
              {...sortable.listeners}
            >
              <Icon of={IconArrowsMove} size={16} />
            </button>
          ) : null}
          <Title order={2} className={classes.widgetTitle ?? ''}>
            {title}
          </Title>
          {actions ? <WidgetMenu widget={widget} title={title} actions={actions} /> : null}
        </header>
      ) : null}
      <div className={classes.widgetBody}>
        <ErrorBoundary compact>
          {draft ? (
            <DraftContent widget={widget} draft={draft} onZoom={onZoom} />
          ) : (
            <Content widget={widget} data={data} range={{ fromMs, toMs }} onZoom={onZoom} />
          )}
        </ErrorBoundary>
      </div>
    </section>
  )
})

interface ContentProps {
  widget: Widget
  data: WidgetData | undefined
  range: { fromMs: number; toMs: number }
  onZoom: (range: Range) => void
}

function Content({ widget: { definition }, data, range, onZoom }: ContentProps) {
  if (data) return <WidgetBody definition={definition} data={data} range={range} onZoom={onZoom} />
  if (widgetFor(definition).isHeading) return null
  return (
    <Loading>
      <Skeleton height={Math.max(60, definition.size.minHeightPx - 70)} />
    </Loading>
  )
}

type DraftContentProps = Pick<ContentProps, 'widget' | 'onZoom'> & { draft: DraftRequest }

function DraftContent({ widget, draft, onZoom }: DraftContentProps) {
  const { definition } = widget
  const { boardId, range, parameters } = draft
  const query = useDefinitionData(boardId, definition, range, parameters, isReady(definition))
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  const ends = query.shown ?? { fromMs: 0, toMs: 0 }
  return <Content widget={widget} data={query.shown?.data} range={ends} onZoom={onZoom} />
}

function WidgetMenu(props: { widget: Widget; title: string; actions: WidgetActions }) {
  const { widget, title, actions } = props
  const { t } = useTranslation()
  return (
    <>
      <Tooltip label={t('dashboards.configure')}>
        <ActionIcon
          size={28}
          aria-label={t('dashboards.configureOf', { title })}
          onClick={() => actions.onEdit(widget)}
        >
          <Icon of={IconPencil} size={16} />
        </ActionIcon>
      </Tooltip>
      <Menu withinPortal>
        <Menu.Target>
          <ActionIcon size={28} aria-label={t('dashboards.widgetActions', { title })}>
            <Icon of={IconDots} size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon of={IconCopy} size={16} />} onClick={() => actions.onCopy(widget)}>
            {t('dashboards.copyWidget')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('dashboards.width')}</Menu.Label>
          {widths.map((columns) => (
            <Menu.Item
              key={columns}
              leftSection={<Icon of={IconColumns} size={16} />}
              disabled={widget.definition.size.columns === columns}
              onClick={() => actions.onResize(widget, columns)}
            >
              {t('dashboards.columns', { columns })}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            color="red"
            leftSection={<Icon of={IconTrash} size={16} />}
            onClick={() => actions.onDelete(widget)}
          >
            {t('dashboards.removeWidget')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
