import { createStore } from '../../lib/store.ts'
import type { DriverValues } from './values.ts'

/** A driver pasted as JSON, passed to the page that creates it. */
export const draftStore = createStore<DriverValues | null>(null)
