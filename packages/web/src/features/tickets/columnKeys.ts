import type { KeyboardCoordinateGetter } from '@dnd-kit/core'

/** Moves a card to the column beside it with the arrow keys. */
export const columnKeys: KeyboardCoordinateGetter = (event, { currentCoordinates, context }) => {
  const step = event.code === 'ArrowRight' ? 1 : event.code === 'ArrowLeft' ? -1 : 0
  if (step === 0) return undefined
  event.preventDefault()
  const columns = [...context.droppableRects.entries()].toSorted(([, a], [, b]) => a.left - b.left)
  // The column the card begins in: what it is over is not known before it has moved.
  const at = columns.findLastIndex(([, { left }]) => left <= currentCoordinates.x)
  const next = columns[Math.min(columns.length - 1, Math.max(0, at + step))]
  return next && { x: next[1].left + 8, y: Math.max(next[1].top, currentCoordinates.y) }
}
