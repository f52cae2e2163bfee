import * as z from 'zod'
import { Id, operation } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { TwinUndo } from './twins.ts'

/** How long a move, a disabling or a bulk edit of twins can be undone. */
export const undoMinutes = 10

/** What undoing can leave alone, because it has changed since; `devices`: some of those that were switched with a twin. */
export const undoParts = ['parent', 'tags', 'zones', 'keyValues', 'icon', 'disabled', 'devices'] as const
export const UndoPart = z.enum(undoParts)
export type UndoPart = z.infer<typeof UndoPart>

const write = may('DigitalTwin', 'write', 'manage')
const tags = ['twins']

/** Taking back moves, disabling and bulk edits of twins. */
export const twinUndo = {
  /** The undo of a bulk edit; null: it is still running, has changed nothing, or can no longer be undone. */
  ofJob: operation
    .meta({ rule: write })
    .route({ method: 'GET', path: '/digitaltwin/undo', tags, summary: 'The undo of a bulk edit' })
    .input(z.object({ jobId: Id }))
    .output(z.object({ undo: TwinUndo.nullable() })),
  /**
   * Undoes a change within ten minutes (later: DTWIN_UNDO_ENDED), with the rights the change needs. It restores only what
   * is still as the change left it; `left` names the rest. A bulk edit is undone by a background job, which names what
   * it left alone in its rows (`LEFT_PARENT`, `LEFT_TAGS` …).
   */
  run: operation
    .meta({ rule: write, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'POST', path: '/digitaltwin/undo/{id}', tags, summary: 'Undo a change of twins' })
    .input(z.object({ id: z.uuid() }))
    .output(z.object({ job: BackgroundJob.nullable(), left: z.array(UndoPart) })),
}
