import * as z from 'zod'
import { operation } from './common.ts'
import { may } from './permissions.ts'

/** Commands of the system terminal: those that read, and those that repair, which ask before they do anything. */
export const terminalCommands = [
  'help',
  'status',
  'queues',
  'consumers',
  'statements',
  'connectors',
  'nodes',
  'counts',
  'licences',
  'rederive',
  'rebuild-rollups',
  'replay-events',
  'replay-messages',
  'release-lease',
  'revoke-sessions',
] as const
export type TerminalCommand = (typeof terminalCommands)[number]

/** What commands say besides tables; the console has the texts. */
export const terminalMessages = [
  'nothing',
  'wouldRederive',
  'rederived',
  'wouldRebuild',
  'rebuilds',
  'wouldReplayEvents',
  'replaysEvents',
  'wouldReplayMessages',
  'replaysMessages',
  'wouldRelease',
  'released',
  'wouldRevoke',
  'revoked',
  'runningOnly',
] as const
export type TerminalMessage = (typeof terminalMessages)[number]

export const terminalLimits = {
  lineMax: 300,
  rowsMax: 200,
  /** characters of a cell */
  cellMax: 500,
  /** how long a preview can be confirmed */
  confirmMs: 120_000,
} as const

const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()])

/** A part of the output. */
export const TerminalBlock = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('table'),
    columns: z.array(z.string()),
    rows: z.array(z.array(Cell)),
    /** there are more rows than shown */
    isCut: z.boolean(),
  }),
  z.object({
    kind: z.literal('message'),
    message: z.enum(terminalMessages),
    values: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  /** all commands, which the console explains in its language */
  z.object({ kind: z.literal('commands') }),
])
export type TerminalBlock = z.infer<typeof TerminalBlock>

const Command = z.object({
  name: z.enum(terminalCommands),
  /** name of its argument; null: it has none */
  argument: z.string().nullable(),
  /** it repairs something, and asks before */
  changes: z.boolean(),
})

const manageSystem = may('super.system', 'manage')

/** Only for system administrators who are signed in themselves: closed to keys, applications and while impersonating. */
export const terminal = {
  /** @throws AUTH_IMPERSONATING */
  commands: operation
    .meta({ rule: manageSystem })
    .route({ method: 'GET', path: '/system/console', tags: ['system'], summary: 'Commands of the terminal' })
    .output(z.object({ items: z.array(Command) })),
  /**
   * Runs a command. One that repairs something first answers what it would do with a `confirmation`; the same line with
   * it does that. Every line is in the activity log, in the form the command was understood.
   * @throws AUTH_IMPERSONATING, TERMINAL_COMMAND_UNKNOWN, TERMINAL_ARGUMENT_INVALID, TERMINAL_CONFIRMATION_INVALID,
   * TERMINAL_BUSY, and errors of what is named
   */
  run: operation
    .meta({ rule: manageSystem, clientTimeoutMs: 90_000 })
    .route({ method: 'POST', path: '/system/console', tags: ['system'], summary: 'Run a command' })
    .input(
      z.object({
        line: z.string().trim().min(1).max(terminalLimits.lineMax),
        confirmation: z.string().max(1000).optional(),
      }),
    )
    .output(
      z.object({
        /** the line as it was understood */
        line: z.string(),
        blocks: z.array(TerminalBlock),
        /** set: nothing was changed yet */
        confirmation: z.string().nullable(),
        ms: z.int(),
      }),
    ),
}
