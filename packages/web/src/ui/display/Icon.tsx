import type { ComponentType } from 'react'

/** Any Tabler icon. */
export type IconType = ComponentType<{
  size?: number | string
  stroke?: number | string
  'aria-hidden'?: boolean
}>

/** A Tabler icon in the one size (18) and stroke (1.6) of the console; purely decorative for screen readers. */
export function Icon({ of: Shape, size = 18 }: { of: IconType; size?: number }) {
  return <Shape size={size} stroke={1.6} aria-hidden />
}
