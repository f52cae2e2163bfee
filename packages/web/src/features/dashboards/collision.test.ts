import type { ClientRect, DroppableContainer } from '@dnd-kit/core'
import { expect, test } from 'vitest'
import { widgetUnder } from './collision.ts'

const rect = (left: number, top: number, width: number, height: number): ClientRect => ({
  left,
  top,
  width,
  height,
  right: left + width,
  bottom: top + height,
})
/** A wide widget above two narrow ones. */
const places = new Map([
  [1, rect(0, 0, 1200, 300)],
  [2, rect(0, 300, 600, 100)],
  [3, rect(600, 300, 600, 100)],
])
const containers = [...places].map(([id, at]) => ({
  id,
  rect: { current: at },
  data: { current: undefined },
  disabled: false,
})) as unknown as DroppableContainer[]

const over = (dragged: ClientRect, pointer: { x: number; y: number } | null) =>
  widgetUnder({
    active: { id: 9 } as never,
    collisionRect: dragged,
    droppableRects: places,
    droppableContainers: containers,
    pointerCoordinates: pointer,
  })[0]?.id

test.each([
  [10, 10, 1],
  [1190, 290, 1],
  [10, 350, 2],
  [700, 350, 3],
])('by mouse, the widget under the pointer counts (%d, %d)', (x, y, id) => {
  expect(over(rect(0, 0, 1200, 300), { x, y })).toBe(id)
})

test('by mouse beside all widgets, the nearest counts', () => {
  expect(over(rect(600, 900, 600, 100), { x: 900, y: 950 })).toBe(3)
})

test.each([
  [rect(0, 0, 600, 100), 1],
  [rect(10, 290, 600, 100), 2],
  [rect(590, 310, 600, 100), 3],
])('by keyboard, the widget at the upper left corner counts', (dragged, id) => {
  expect(over(dragged, null)).toBe(id)
})
