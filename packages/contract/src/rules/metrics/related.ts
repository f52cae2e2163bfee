import * as z from 'zod'

export const relatives = ['own', 'parent', 'children'] as const
export type Relative = (typeof relatives)[number]

/** What can be done with the values of a state, as for metrics of one state. */
export const seriesOperations = [
  'latest',
  'avg',
  'min',
  'max',
  'sum',
  'median',
  'count',
  'first',
  'difference',
] as const

/** One value from those of several twins. */
export const acrossOperations = ['avg', 'min', 'max', 'sum', 'median', 'count'] as const
export type AcrossOperation = (typeof acrossOperations)[number]

/** Children of a twin whose states one metric may read; with more it fails. */
export const childrenMax = 1_000

/** A state by its key: of the twin that the rule runs on, of its parent, or of its direct children. */
export const related = {
  operation: z.literal('related'),
  of: z.enum(relatives),
  stateKey: z.string().regex(/^[A-Za-z0-9_.]{1,100}$/, 'letters, digits, underscore and dot'),
  /** the value of each state: its latest, or an operation over its window */
  over: z.enum(seriesOperations),
  /** for children: one value from all of theirs; children without a value do not count */
  across: z.enum(acrossOperations).optional(),
}
