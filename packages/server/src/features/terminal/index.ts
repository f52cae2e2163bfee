import { terminalCommands, terminalLimits } from '@leitstand/contract/terminal'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import { ownSelf } from '../people/index.ts'
import { commands } from './commands/index.ts'
import { confirmationOf, isConfirmed } from './confirmation.ts'
import { oneAtATime } from './store.ts'
import type { Prepared, Run, Tools } from './types.ts'

/** A command takes no longer. */
const timeMaxMs = 90_000
/** In the activity log for what is no command: it could be anything, a password as well. */
const notUnderstood = '?'

type Step = 'run' | 'preview' | 'confirmed' | 'refused'

/**
 * The system terminal: commands that read, and a few that repair something after a confirmation. There is neither SQL
 * nor a shell: a line is a known command and an argument its schema accepts, or it is refused.
 */
export function registerTerminal(ctx: Context, parts: Omit<Tools, 'ctx'>) {
  /** users with a running command on this node */
  const busy = new Set<number>()
  const note = (caller: Caller, line: string, step: Step): Promise<void> =>
    recordActivity(ctx.db, caller, {
      action: 'terminal',
      subject: 'Terminal',
      objectId: null,
      objectTitle: line.slice(0, terminalLimits.lineMax),
      accountId: null,
      changes: { step },
    })
  const prepared = async (caller: Caller, line: string): Promise<Prepared> => {
    try {
      return prepare(line)
    } catch (error) {
      await note(caller, notUnderstood, 'refused')
      throw error
    }
  }
  const carryOut = async (
    caller: Caller,
    input: { line: string; confirmation?: string | undefined },
    signal: AbortSignal | undefined,
  ) => {
    const { userId, sessionId } = ownSelf(caller)
    const { line, preview, work } = await prepared(caller, input.line)
    const given = { userId, sessionId, line }
    const isPreview = preview !== undefined && input.confirmation === undefined
    if (preview && !isPreview && !isConfirmed(ctx, input.confirmation, given)) {
      await note(caller, line, 'refused')
      throw new AppError('TERMINAL_CONFIRMATION_INVALID')
    }
    await note(caller, line, isPreview ? 'preview' : preview ? 'confirmed' : 'run')
    const limits = [AbortSignal.timeout(timeMaxMs), ...(signal ? [signal] : [])]
    const run: Run = { ...parts, ctx, caller, signal: AbortSignal.any(limits) }
    const begunMs = performance.now()
    const blocks = await (isPreview ? preview : work)(run)
    return {
      line,
      blocks,
      confirmation: isPreview ? confirmationOf(ctx, given) : null,
      ms: Math.round(performance.now() - begunMs),
    }
  }
  const routes = {
    terminal: {
      commands: os.terminal.commands.handler(({ context: { caller } }) => {
        ownSelf(caller)
        const items = terminalCommands.map((name) => {
          const { argument, changes } = commands[name]
          return { name, argument, changes }
        })
        return { items }
      }),
      run: os.terminal.run.handler(async ({ input, context: { caller }, signal }) => {
        const { userId } = ownSelf(caller)
        // Many at once would each wait for a connection to the database only to be refused.
        if (busy.has(userId)) throw new AppError('TERMINAL_BUSY')
        busy.add(userId)
        try {
          return await oneAtATime(ctx.db, userId, () => carryOut(caller, input, signal))
        } finally {
          busy.delete(userId)
        }
      }),
    },
  }
  return { routes }
}

/** @throws AppError TERMINAL_COMMAND_UNKNOWN, TERMINAL_ARGUMENT_INVALID */
function prepare(line: string): Prepared {
  const [word, ...words] = line.split(/\s+/)
  const name = terminalCommands.find((each) => each === word)
  if (name === undefined) throw new AppError('TERMINAL_COMMAND_UNKNOWN')
  return commands[name].prepare(name, words)
}
