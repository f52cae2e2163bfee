import {
  type CollisionDetection,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { sortableKeyboardCoordinates } from '@dnd-kit/sortable'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** A drag starts after this many px, so that an unsteady click is not a drag. */
const dragFromPx = 5

interface SortableAreaProps {
  /** keyboard instructions, read out at each handle */
  help: string
  /** read out for the moved item, or the position it is moved to */
  titleOf: (id: UniqueIdentifier) => string
  onMove: (fromId: number, toId: number) => void
  collisionDetection?: CollisionDetection
  children: ReactNode
}

/** Items that can be reordered by dragging, with pointer or keyboard; announced to screen readers. */
export function SortableArea(props: SortableAreaProps) {
  const { help, titleOf, onMove, collisionDetection = closestCenter, children } = props
  const { t } = useTranslation()
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragFromPx } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collisionDetection}
      onDragEnd={({ active, over }) => {
        if (over && active.id !== over.id) onMove(Number(active.id), Number(over.id))
      }}
      accessibility={{
        screenReaderInstructions: { draggable: help },
        announcements: {
          onDragStart: ({ active }) => t('drag.started', { title: titleOf(active.id) }),
          onDragOver: ({ active, over }) =>
            over ? t('drag.over', { title: titleOf(active.id), target: titleOf(over.id) }) : undefined,
          onDragEnd: ({ active }) => t('drag.ended', { title: titleOf(active.id) }),
          onDragCancel: ({ active }) => t('drag.cancelled', { title: titleOf(active.id) }),
        },
      }}
    >
      {children}
    </DndContext>
  )
}
