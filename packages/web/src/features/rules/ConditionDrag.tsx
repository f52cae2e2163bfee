import {
  type CollisionDetection,
  DndContext,
  DragOverlay,
  PointerSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import type { Condition } from '@leitstand/contract/rules'
import { VisuallyHidden } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { type Gap, gapsFor, moveTo, nodeAt, type Path, pathOf } from './conditions/tree.ts'
import classes from './rules.module.css'

/** A drag starts after this many px, so that an unsteady click is not a drag. */
const dragFromPx = 5
/** A gap is chosen by being at the height of the pointer more than by beginning left of it. */
const aside = 0.3

interface Drag {
  helpId: string
  /** the place that the keyboard has moved to */
  gap: Gap | null
  onKey: (path: Path, event: KeyboardEvent) => void
  onBlur: () => void
}

const DragContext = createContext<Drag | null>(null)

interface DragAreaProps {
  tree: Condition
  onChange: (tree: Condition) => void
  /** the condition in words */
  titleOf: (path: Path) => string
  /** the group in words */
  groupOf: (group: Path) => string
  children: ReactNode
}

/** Conditions that can be moved to any place of any group, by dragging or with the keyboard; announced to screen readers. */
export function DragArea({ tree, onChange, titleOf, groupOf, children }: DragAreaProps) {
  const { t } = useTranslation()
  const helpId = useId()
  const area = useRef<HTMLDivElement>(null)
  const [dragged, setDragged] = useState<Path | null>(null)
  const [keyed, setKeyed] = useState<{ path: Path; gaps: Gap[]; at: number } | null>(null)
  const [said, say] = useState('')
  const [landed, setLanded] = useState<Condition | null>(null)
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: dragFromPx } }))
  const nearest = useMemo(() => nearestOf(tree), [tree])
  // The handle of a moved condition is another element.
  useEffect(() => {
    const path = landed && pathOf(tree, landed)
    if (path) area.current?.querySelector<HTMLElement>(`[data-handle="${path.join('.')}"]`)?.focus()
  }, [tree, landed])
  const cancel = () => {
    if (keyed) say(t('drag.cancelled', { title: titleOf(keyed.path) }))
    setKeyed(null)
  }
  const onKey = (path: Path, event: KeyboardEvent) => {
    const isToggle = event.key === ' ' || event.key === 'Enter'
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!isToggle && (keyed === null || (step === undefined && event.key !== 'Escape'))) return
    event.preventDefault()
    const title = titleOf(path)
    if (keyed === null) {
      const gaps = gapsFor(tree, path)
      const at = gaps.findIndex(({ group, index }) => [...group, index].join() === path.join())
      setLanded(null)
      setKeyed({ path, gaps, at })
      say(t('drag.started', { title }))
    } else if (isToggle) {
      const gap = keyed.gaps[keyed.at]
      setKeyed(null)
      setLanded(nodeAt(tree, path) ?? null)
      if (gap) onChange(moveTo(tree, path, gap))
      say(t('drag.ended', { title }))
    } else if (step !== undefined) {
      const at = Math.min(keyed.gaps.length - 1, Math.max(0, keyed.at + step))
      const { group, index } = keyed.gaps[at] as Gap
      setKeyed({ ...keyed, at })
      const target = t('rules.placeIn', { place: index + 1, group: groupOf(group) })
      say(t('drag.over', { title, target }))
    } else cancel()
  }
  return (
    <DragContext value={{ helpId, gap: keyed?.gaps[keyed.at] ?? null, onKey, onBlur: cancel }}>
      <DndContext
        sensors={sensors}
        collisionDetection={nearest}
        onDragStart={({ active }) => setDragged(active.data.current?.path as Path)}
        onDragCancel={() => setDragged(null)}
        onDragEnd={({ active, over }) => {
          setDragged(null)
          const gap = over?.data.current as Gap | undefined
          if (gap) onChange(moveTo(tree, active.data.current?.path as Path, gap))
        }}
      >
        <div ref={area}>{children}</div>
        <DragOverlay dropAnimation={null}>
          {dragged === null ? null : <div className={classes.dragged}>{titleOf(dragged)}</div>}
        </DragOverlay>
      </DndContext>
      <VisuallyHidden id={helpId}>{t('rules.moveHelp')}</VisuallyHidden>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </DragContext>
  )
}

/** Picks up the condition at `path`. */
export function DragHandle({ path, title }: { path: Path; title: string }) {
  const { t } = useTranslation()
  const drag = useContext(DragContext)
  const { listeners, setNodeRef } = useDraggable({ id: `node ${path.join('.')}`, data: { path } })
  return (
    <button
      {...listeners}
      ref={setNodeRef}
      type="button"
      className={classes.handle}
      data-handle={path.join('.')}
      aria-label={t('rules.moveCondition', { title })}
      aria-describedby={drag?.helpId}
      // Escape puts the condition back and does not close the editor.
      data-mantine-stop-propagation={drag?.gap ? true : undefined}
      onKeyDown={(event) => drag?.onKey(path, event)}
      onBlur={drag?.onBlur}
    >
      <Icon of={IconGripVertical} size={16} />
    </button>
  )
}

/** A place before a condition, or after the last one with `isEnd`. */
export function DropGap({ group, index, isEnd = false }: Gap & { isEnd?: boolean }) {
  const { gap } = useContext(DragContext) ?? { gap: null }
  const element = useRef<HTMLDivElement | null>(null)
  const { isOver, setNodeRef } = useDroppable({
    id: `gap ${group.join('.')} ${index}`,
    data: { group, index },
  })
  const isChosen = gap?.index === index && gap.group.join() === group.join()
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'center' })
  }, [isChosen])
  return (
    <div
      ref={(node) => {
        element.current = node
        setNodeRef(node)
      }}
      className={classes.gap}
      data-end={isEnd || undefined}
      data-over={isOver || isChosen || undefined}
    />
  )
}

/** The place nearest to the pointer among those that the dragged condition can go to. */
function nearestOf(tree: Condition): CollisionDetection {
  return ({ active, droppableContainers, droppableRects, pointerCoordinates }) => {
    if (pointerCoordinates === null) return []
    const possible = new Set(gapsFor(tree, active.data.current?.path as Path).map(keyOf))
    return droppableContainers
      .flatMap((droppableContainer) => {
        const rect = droppableRects.get(droppableContainer.id)
        if (!rect || !possible.has(keyOf(droppableContainer.data.current as Gap))) return []
        const left = Math.max(0, rect.left - pointerCoordinates.x) * aside
        const value = Math.hypot(rect.top - pointerCoordinates.y, left)
        return [{ id: droppableContainer.id, data: { droppableContainer, value } }]
      })
      .sort((one, other) => one.data.value - other.data.value)
  }
}

const keyOf = ({ group, index }: Gap) => `${group.join('.')} ${index}`
