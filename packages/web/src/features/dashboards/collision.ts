import { type CollisionDetection, closestCenter, pointerWithin } from '@dnd-kit/core'

/**
 * The widget a dragged one is over. Widget sizes differ too much to compare centre distances: a mouse drag
 * uses the widget under the pointer, a keyboard drag the one at the new upper left corner.
 */
export const widgetUnder: CollisionDetection = (args) => {
  if (args.pointerCoordinates) {
    const under = pointerWithin(args)
    return under.length > 0 ? under : closestCenter(args)
  }
  const { left, top } = args.collisionRect
  return args.droppableContainers
    .flatMap((droppableContainer) => {
      const rect = args.droppableRects.get(droppableContainer.id)
      if (!rect) return []
      const value = Math.hypot(rect.left - left, rect.top - top)
      return [{ id: droppableContainer.id, data: { droppableContainer, value } }]
    })
    .sort((a, b) => a.data.value - b.data.value)
}
