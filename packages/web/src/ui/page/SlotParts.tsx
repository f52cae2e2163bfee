import { type ComponentType, createElement, Fragment, Suspense } from 'react'
import type { Slot } from '../../lib/slot.ts'

/** The components of a slot, one after the other; each appears when its code is loaded. */
export function SlotParts<Props extends object>(props: { slot: Slot<ComponentType<Props>>; props: Props }) {
  const parts = props.slot.parts.map((Part) =>
    createElement(Suspense, { fallback: null }, createElement(Part, props.props)),
  )
  return createElement(Fragment, null, ...parts)
}
