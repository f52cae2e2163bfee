import { rectSortingStrategy, SortableContext } from '@dnd-kit/sortable'
import type { Dashboard } from '@leitstand/contract/dashboards'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Range } from '../../lib/range.ts'
import { SortableArea } from '../../ui/page/SortableArea.tsx'
import { widgetUnder } from './collision.ts'
import classes from './dashboards.module.css'
import type { useBoardData } from './useData.ts'
import { type WidgetActions, WidgetFrame } from './WidgetFrame.tsx'
import { kindText } from './widgets/index.ts'

interface GridProps {
  board: Pick<Dashboard, 'id' | 'widgets'>
  data: ReturnType<typeof useBoardData>['data']
  onZoom: (range: Range) => void
  onMove: (id: number, over: number) => void
  /** see `ownDataIds` */
  ownData: ReadonlySet<number>
  range: Range
  parameters: Record<string, string>
  /** in edit mode */
  actions: WidgetActions | undefined
}

/** The widgets in a grid of twelve columns; below 960 px they stack. */
export function WidgetGrid(props: GridProps) {
  const { board, data, onZoom, onMove, actions, ownData, range, parameters } = props
  const { t } = useTranslation()
  const request = useMemo(() => ({ boardId: board.id, range, parameters }), [board.id, range, parameters])
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
      onMove={onMove}
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
              draft={ownData.has(widget.id) ? request : undefined}
            />
          ))}
        </div>
      </SortableContext>
    </SortableArea>
  )
}
