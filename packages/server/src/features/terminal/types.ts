import type { TerminalBlock } from '@leitstand/contract/terminal'
import type * as z from 'zod'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { LettersFeature } from '../letters/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import type { SeriesFeature } from '../series/index.ts'

/** What commands work with. */
export interface Tools {
  ctx: Context
  people: Pick<PeopleFeature, 'revoking'>
  series: Pick<SeriesFeature, 'recompute' | 'requestRebuild'>
  letters: Pick<LettersFeature, 'replaying'>
}

/** One run of a command. */
export interface Run extends Tools {
  caller: Caller
  /** aborted when the client is gone or the time is up; asked between steps */
  signal: AbortSignal
}

export interface Argument<T extends string | number> {
  /** shown in the help, e.g. `user` */
  name: string
  schema: z.ZodType<T>
}

/** A line whose command and argument are known. */
export interface Prepared {
  /** as it is recorded: nothing that was typed gets there without being understood */
  line: string
  /** what it would do; absent for commands that only read */
  preview?: (run: Run) => Promise<TerminalBlock[]>
  work: (run: Run) => Promise<TerminalBlock[]>
}

export interface Command {
  argument: string | null
  changes: boolean
  /** @throws AppError TERMINAL_ARGUMENT_INVALID */
  prepare(name: string, words: readonly string[]): Prepared
}

/** A command that only reads. */
export function reading(work: (run: Run) => Promise<TerminalBlock[]>): Command {
  return {
    argument: null,
    changes: false,
    prepare: (name, words) => {
      if (words.length > 0) throw new AppError('TERMINAL_ARGUMENT_INVALID', { argument: null })
      return { line: name, work }
    },
  }
}

/** A command that repairs something: a first call says what it would do, a confirmed one does it. */
export function repairing<T extends string | number>(
  argument: Argument<T>,
  steps: Record<'preview' | 'work', (run: Run, given: T) => Promise<TerminalBlock[]>>,
): Command {
  return {
    argument: argument.name,
    changes: true,
    prepare: (name, words) => {
      const [word, ...more] = words
      const parsed = argument.schema.safeParse(word)
      if (!parsed.success || more.length > 0)
        throw new AppError('TERMINAL_ARGUMENT_INVALID', { argument: argument.name })
      const given = parsed.data
      return {
        line: `${name} ${given}`,
        preview: (run) => steps.preview(run, given),
        work: (run) => steps.work(run, given),
      }
    },
  }
}
