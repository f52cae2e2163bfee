import { type CollisionDetection, closestCenter, pointerWithin } from '@dnd-kit/core'

/**
 * Which widget a dragged one is over. Widgets differ much in size, so that the distance of their centres misleads: with
 * the mouse it is the widget under the pointer, with the keyboard the one whose upper left corner was moved to.
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
