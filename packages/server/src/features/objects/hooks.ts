import type { Executor } from '../../platform/db/index.ts'
import { hooks } from './registry.ts'

type Hook = (tx: Executor, ids: readonly number[]) => Promise<void>

/**
 * What features do in the transaction that changes objects of a feature below them. The feature that changes
 * them calls `runHooks`.
 */
export interface Hooks {
  /** Twins and devices get another scope; locks what must be locked before the twins. */
  beforeTwinsMove?: Hook
  /** Twins and devices have another scope. */
  twinsMoved?: Hook
  /** Devices were disabled or enabled. */
  devicesSwitched?: Hook
  /** Devices have another driver, or another version of it. */
  driversChanged?: Hook
}

/** Runs the hooks of all features, low to high. */
export async function runHooks(name: keyof Hooks, tx: Executor, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  for (const each of hooks()) await each[name]?.(tx, ids)
}
