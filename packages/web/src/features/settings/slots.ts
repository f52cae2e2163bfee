import type { ComponentType } from 'react'
import { createSlot } from '../../lib/slot.ts'

/** A real screen of the console that shows how a brand looks. */
export interface BrandScreen {
  /** its title is the text `screens.<key>.title` */
  key: string
  /** size of the window that it is shown in, before it is scaled */
  width: number
  height: number
  /** draws the screen into whatever it is placed in, with a router of its own */
  Content: ComponentType
}

/** What the preview of a brand shows beside the form. */
export const brandScreens = createSlot<BrandScreen>('brandScreens')
